#define BOOST_TEST_MODULE arauto
#include <boost/test/unit_test.hpp>
