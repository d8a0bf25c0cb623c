-- Gives a worker sessions of hosts that may be asked now. ARGV: time, lease, worker, most hosts, most requests of
-- each; the date of the run, or 0; and, to seek one host alone, its origin; that host may have no requests. Answers
-- the time, the next time at which there may be more (-1: none), and for each session origin, token, pause, record
-- and requests. First ends the sessions whose deadline has passed. Their workers stopped asking before it, so a
-- pause counted from the deadline is at least one counted from the last request.
local now, lease, worker = clock(), tonumber(ARGV[2]), ARGV[3]
local most, window, due = ARGV[4], tonumber(ARGV[5]), tonumber(ARGV[6])
local ENDED_AT_ONCE = '16' -- bounds how long the server is busy

-- The lowest score of a sorted set.
local function first_of(set)
    return tonumber(call('ZRANGE', set, '0', '0', 'WITHSCORES')[2]) or math.huge
end

local function end_late(origin)
    local deadline = call('ZSCORE', sessions, origin)
    local had = call('HMGET', key('host', origin), 'pause', 'open')
    call('HSET', key('host', origin), 'open', digits(math.max(had[2] or 0, deadline + (had[1] or 0))))
    end_session(origin)
    count('lost', 1)
end

-- Seeks a host by name. A worker that has it hears of that through renew.lua.
local function seek(origin)
    local open = tonumber(call('HGET', key('host', origin), 'open') or 0)
    if call('ZSCORE', sessions, origin) then
        call('HSET', key('host', origin), 'wanted', '1')
    elseif open <= now then
        return {origin}
    else
        reserve(origin)
    end
    return {}
end

local function begin(origin, token)
    local had = call('HMGET', key('host', origin), 'pause', 'record', 'more')
    call('ZREM', hosts, origin)
    call('ZADD', sessions, digits(now + lease), origin)
    call('HSET', key('host', origin), 'token', digits(token), 'worker', worker)
    return {origin, token, tonumber(had[1] or 0), (had[2] or '') .. (had[3] or ''), fill(origin, now, window)}
end

-- Most takes find nothing, and must be cheap.
local next_session = first_of(sessions)
if next_session <= now then
    for _, origin in ipairs(call('ZRANGEBYSCORE', sessions, '-inf', digits(now), 'LIMIT', '0', ENDED_AT_ONCE)) do
        end_late(origin)
    end
    next_session = first_of(sessions)
end

local has_more = due > 0 and release(due)
local next_host, free, given = first_of(hosts), {}, {}
if ARGV[7] then
    free = seek(ARGV[7])
elseif next_host <= now then
    free = call('ZRANGEBYSCORE', hosts, '-inf', digits(now), 'LIMIT', '0', most)
end
if #free > 0 then
    -- A server that comes back with older data never gives a token twice, since its clock has gone on.
    local token = math.max(tonumber(call('HGET', figures, 'token') or 0), now * 1024)
    call('HSET', figures, 'token', digits(token + #free))
    for i, origin in ipairs(free) do
        given[i] = begin(origin, token + i)
    end
    next_host, next_session = first_of(hosts), first_of(sessions)
end

local next_time = has_more and now or math.min(next_host, next_session)
return {now, next_time < math.huge and next_time or -1, given}
