-- The limits that all workers share: pages, one for each ticket, and bytes. KEYS[1] is "{NAME}", or the partition of a
-- place with its own tickets. ARGV: time, lease, worker; the number of tickets; of all that the worker ever had, how
-- many it wants to have had and how many are used up; the bytes that it has fetched so far; and the place, or nothing.
-- These are sums, so a worker without an answer may ask again. Answers how many the worker has had by now, how many
-- nobody has had, how many the other workers have and have not used up, and the bytes of all.
--
--   tickets   hash: had and bytes, of all; had:WORKER, used:WORKER, bytes:WORKER. For a place: tickets:PLACE
--   holders   sorted set: workers by the deadline after which nobody waits for their tickets
--
-- The more are left, the more are given at once. Tickets of a worker that dies are lost: it may have used them, and
-- there must never be more pages than tickets.
local SHARES = 4 -- parts of the rest per worker
local of_place = ARGV[8] == '' and '' or ':' .. ARGV[8]
local tickets, holders = base .. ':tickets' .. of_place, base .. ':holders' .. of_place
local now, worker, limit = clock(), ARGV[3], tonumber(ARGV[4])
local wanted, used, fetched = tonumber(ARGV[5]), ARGV[6], tonumber(ARGV[7])
local said = call('HMGET', tickets, 'had', 'bytes', 'had:' .. worker, 'bytes:' .. worker)
local had, bytes, own = tonumber(said[1] or 0), tonumber(said[2] or 0), tonumber(said[3] or 0)
call('ZADD', holders, digits(now + ARGV[2]), worker)

local more = wanted - own
if more > 0 then
    local left = math.max(limit - had, 0)
    local share = math.ceil(left / (SHARES * call('ZCOUNT', holders, digits(now), '+inf')))
    more = math.min(more, share)
end
had, own, bytes = had + more, own + more, bytes + fetched - (said[4] or 0)
call('HSET', tickets, 'had', digits(had), 'bytes', digits(bytes), 'had:' .. worker, digits(own), 'used:' .. worker,
    used, 'bytes:' .. worker, digits(fetched))

local others = 0
for _, name in ipairs(had < limit and {} or call('ZRANGEBYSCORE', holders, digits(now), '+inf')) do
    local of = name ~= worker and call('HMGET', tickets, 'had:' .. name, 'used:' .. name) or {0, 0}
    others = others + math.max(of[1] - of[2], 0)
end
return {own, math.max(limit - had, 0), others, bytes}
