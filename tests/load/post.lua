-- One notification a request, each with an operation id of its own. SEND_AT: born waiting, so that only accepting is measured.
local n, prefix, user = 0, os.getenv("PREFIX"), os.getenv("USERS")
local token, send_at = os.getenv("TOKEN"), os.getenv("SEND_AT")
local later = send_at and ('"send_at":"' .. send_at .. '",') or ""
function request()
  n = n + 1
  local op = prefix .. "-" .. n
  local body = '{"user_id":"u' .. (n % user) .. '","type":"order_shipped","variables":{"name":"Maria","order":"A-' .. n
    .. '","op":"' .. op .. '"},' .. later .. '"client_operation_id":"' .. op .. '"}'
  return wrk.format("POST", "/v1/notifications",
    {["Authorization"] = "Bearer " .. token, ["Content-Type"] = "application/json"}, body)
end
function done(summary, latency)
  local e = summary.errors
  io.write(string.format("WRK %d %d %d\n", summary.requests, summary.duration, e.status + e.read + e.timeout + e.connect))
end
