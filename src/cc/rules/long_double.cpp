// Device code has no long double: it computes in double (guide 18.5.15).
#include "rules.h"

using namespace clang;

namespace rules {

void checkLongDouble(Checker &c, const Expr *e, const FunctionDecl *around) {
    QualType type = e->getType(); // messages of assertions have none
    if (around && isDeviceCode(around) && !type.isNull() &&
        type->isSpecificBuiltinType(BuiltinType::LongDouble) &&
        c.warnedOfLongDouble.insert(around).second)
        c.warning(e->getExprLoc(), "'long double' is treated as 'double' in device code",
                  "long-double");
}

} // namespace rules
