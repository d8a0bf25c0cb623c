-- Joins or leaves a run, in which all present workers visit what is due by one date: the time at which the first of
-- them came. KEYS[1] is "{NAME}". ARGV: time, lease, worker, and "1" if it takes part, "0" if it does not (any more).
-- Answers the date of the run; 0: there never was one. A worker in the run says so again before its lease is over.
--
--   run       string: the date
--   runners   sorted set: workers that take part, by the deadline after which they count as dead
local run, runners, now = base .. ':run', base .. ':runners', clock()
call('ZREMRANGEBYSCORE', runners, '-inf', digits(now))
local date = tonumber(call('GET', run) or 0)
if ARGV[4] == '0' then
    call('ZREM', runners, ARGV[3])
    return date
end
if date == 0 or call('EXISTS', runners) == 0 then
    date = math.max(date, now)
    call('SET', run, digits(date))
end
call('ZADD', runners, digits(now + ARGV[2]), ARGV[3])
return date
