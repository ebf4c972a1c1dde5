// Direction vectors of Sobol's sequences (Joe & Kuo, 2008), and scrambled ones.
#ifndef KUDZU_CURAND_DIRECTION_VECTORS_H
#define KUDZU_CURAND_DIRECTION_VECTORS_H

// How many dimensions the library has: 20,000, or two where it was built without their table.
unsigned int most_dimensions();

// The first `dimensions` dimensions' vectors one after the other, 32 or 64 of a dimension; if
// `scrambled` each dimension's digits are mixed by a random matrix, which is lower triangular with
// ones in its diagonal and so keeps what makes the points even.
template <typename Word>
void direction_vectors(unsigned int dimensions, bool scrambled, Word *vectors);

// What is added to a scrambled dimension's points (by exclusive or).
template <typename Word> void scramble_constants(unsigned int dimensions, Word *constants);

#endif
