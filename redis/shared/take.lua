-- Gives a worker sessions of hosts that may be asked now. ARGV: time, lease, worker, most hosts, most requests of each.
-- Answers the time, the next one at which there may be more (-1: none), and of each session origin, token, pause,
-- record and requests. Sessions whose deadline has passed are ended first: their worker stopped asking before it, so
-- that a pause from the deadline on is one from its last request on.
local now, lease, worker, most, window = clock(ARGV[1]), tonumber(ARGV[2]), ARGV[3], ARGV[4], tonumber(ARGV[5])
local ENDED_AT_ONCE = 16 -- bounds how long the server is busy

for _, origin in ipairs(redis.call('ZRANGEBYSCORE', sessions, '-inf', now, 'LIMIT', 0, ENDED_AT_ONCE)) do
    local deadline = tonumber(redis.call('ZSCORE', sessions, origin))
    local had = redis.call('HMGET', key('host', origin), 'pause', 'open')
    local open = math.max(tonumber(had[2] or 0), deadline + tonumber(had[1] or 0))
    redis.call('HSET', key('host', origin), 'open', open)
    end_session(origin)
    count('lost', 1)
end

local given = {}
for _, origin in ipairs(redis.call('ZRANGEBYSCORE', hosts, '-inf', now, 'LIMIT', 0, most)) do
    local token = redis.call('HINCRBY', figures, 'token', 1)
    local had = redis.call('HMGET', key('host', origin), 'pause', 'record')
    redis.call('ZREM', hosts, origin)
    redis.call('ZADD', sessions, now + lease, origin)
    redis.call('HSET', key('host', origin), 'token', token, 'worker', worker)
    given[#given + 1] = {origin, token, tonumber(had[1] or 0), had[2] or '', fill(origin, now, window)}
end

local next_time = -1
for _, set in ipairs({hosts, sessions}) do
    local first = redis.call('ZRANGE', set, 0, 0, 'WITHSCORES')
    if #first > 0 and (next_time < 0 or tonumber(first[2]) < next_time) then
        next_time = tonumber(first[2])
    end
end
return {now, next_time, given}
