// S35: where a browser may lead us, as far as the text of its endpoint tells.
#include <boost/test/unit_test.hpp>

#include "storage/model/endpoint.hpp"

using arauto::endpoint_objection;

BOOST_AUTO_TEST_SUITE(endpoints)

BOOST_AUTO_TEST_CASE(the_endpoints_of_browsers_are_taken) {
  for (const auto* url :
       {"https://fcm.googleapis.com/fcm/send/abc:APA91b-_", "https://web.push.apple.com/QGuQ",
        "https://updates.push.services.mozilla.com/wpush/v2/gAAA",
        "https://wns2-par02p.notify.windows.com/w/?token=BQYA%2f", "HTTPS://Push.Example:443/p",
        "https://8.8.8.8/p", "https://[2600:1901::1]/p"})
    BOOST_TEST(endpoint_objection(url, false) == "", url);
}

BOOST_AUTO_TEST_CASE(what_leads_inside_or_elsewhere_is_refused) {
  for (const auto* url : {"",
                          "x",
                          "http://push.example.com/",
                          "ftp://push.example.com/",
                          "https://",
                          "https:///p",
                          "https://127.0.0.1/",
                          "https://[::ffff:127.0.0.1]/",
                          "https://2130706433/",
                          "https://0x7f.1/",
                          "https://127.1/",
                          "https://017700000001/",
                          "https://169.254.169.254/latest",
                          "https://10.0.0.5/",
                          "https://100.64.0.1/",
                          "https://[fd00::1]/",
                          "https://[::1]/",
                          "https://user:pw@push.example.com/",
                          "https://push.example.com:22/",
                          "https://push.example.com:/",
                          "https://push.example.com:x/",
                          "https://localhost/",
                          "https://x.localhost/",
                          "https://intranet/",
                          "https://printer.local/",
                          "https://a.internal/",
                          "https://a b/",
                          "https://a\r\nb/",
                          "https://push.example.com\\@127.0.0.1/",
                          "https://push.example.com/#x",
                          "https://push.example.com#@127.0.0.1/",
                          "https://pu\xC3\xA9sh.example.com/",
                          "https://push.example.com%2f@127.0.0.1/",
                          "https://127.0.0.1./",
                          "https://./",
                          "https://1.2.3.4.5/",
                          "https://a../",
                          "https://[::1/",
                          "https://[]/"})
    BOOST_TEST(endpoint_objection(url, false) != "", url);
  BOOST_TEST(endpoint_objection("https://a.example/" + std::string(2'048, 'x'), false) != "");
}

BOOST_AUTO_TEST_CASE(a_test_bench_may_lead_inside) {
  BOOST_TEST(endpoint_objection("http://127.0.0.1:8443/p/1", true) == "");
  BOOST_TEST(endpoint_objection("https://localhost:8443/p/1", true) == "");
  BOOST_TEST(endpoint_objection("https://u@localhost/p/1", true) != "");
  BOOST_TEST(endpoint_objection("ftp://localhost/p/1", true) != "");
}

BOOST_AUTO_TEST_SUITE_END()
