"""Statements of random kernels as a tree, so that what differs can be made smaller."""
import time


class Node:
    """A statement: head, then children in braces' place, then tail. Loose children mean the same
    outside of it, as far as a test can tell. What is fixed is needed by what stands around it, as a barrier is."""

    def __init__(self, head, children=None, tail="", loose=True, fixed=False):
        self.head, self.children, self.tail, self.loose, self.fixed = head, children, tail, loose, fixed

    def render(self, out, depth):
        pad = "    " * depth
        out += [pad + line for line in self.head.split("\n") if line]
        if self.children is not None:
            for c in self.children:
                c.render(out, depth + 1)
            out += [pad + line for line in self.tail.split("\n") if line]


class Context:
    """What may stand at a place: uniform: all threads of the block are here together; mask: the
    variable naming the lanes that are here together (None: not known); loop: what break and continue
    need (None or False: not allowed)."""

    def __init__(self, uniform, mask, loop=False, depth=0):
        self.uniform, self.mask, self.loop, self.depth = uniform, mask, loop, depth

    def inner(self, uniform=False, mask=None, loop=None):
        return Context(uniform, mask, self.loop if loop is None else loop, self.depth + 1)


def lists_of(nodes, found):
    found.append(nodes)
    for n in nodes:
        if n.children is not None:
            lists_of(n.children, found)
    return found


def drop_statements(nodes, still, until):
    """Deletes runs of statements, long ones first. True: something went."""
    gone, size = False, len(nodes)
    while size >= 1 and time.time() < until:
        at = 0
        while at < len(nodes) and time.time() < until:
            saved = nodes[:]
            nodes[at:at + size] = [n for n in nodes[at:at + size] if n.fixed]
            if len(nodes) < len(saved) and still():
                gone = True
            else:
                nodes[:] = saved
                at += size
        size //= 2
    return gone


def open_statements(nodes, still, until):
    """Puts what is in a statement in its place."""
    gone = False
    for at in range(len(nodes) - 1, -1, -1):
        if time.time() > until or nodes[at].children is None or not nodes[at].loose:
            continue
        saved = nodes[:]
        nodes[at:at + 1] = nodes[at].children
        if still():
            gone = True
        else:
            nodes[:] = saved
    return gone


def reduce(bodies, still, until):
    """Makes the lists of statements smaller while still() holds, until a time."""
    again = True
    while again and time.time() < until:
        again = False
        for nodes in [x for body in bodies for x in lists_of(body, [])]:
            again |= drop_statements(nodes, still, until)
            again |= open_statements(nodes, still, until)
