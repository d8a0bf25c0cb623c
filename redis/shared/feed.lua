-- Workers that have seeds which are not all in the crawl. KEYS[1] is "{NAME}". ARGV: time, lease, worker, and "1" where
-- it has some, "0" where it has none (any more), and nothing where it only asks. Answers how many workers have some;
-- one whose deadline has passed has none.
local feeders, now = KEYS[1] .. ':feeders', clock(ARGV[1])
call('ZREMRANGEBYSCORE', feeders, '-inf', now)
if ARGV[4] == '1' then
    call('ZADD', feeders, now + ARGV[2], ARGV[3])
elseif ARGV[4] == '0' then
    call('ZREM', feeders, ARGV[3])
end
return call('ZCARD', feeders)
