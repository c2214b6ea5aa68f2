// Boost.JSON's own code, compiled once and apart, so that a change of json.cc does not compile it again.

#include <boost/json/src.hpp>
