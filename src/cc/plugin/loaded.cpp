// What happens when clang loads the plugin: it takes the rules up. The passes it asks for itself.
namespace rules {
void registerRules();
}

static const bool registered = (rules::registerRules(), true);
