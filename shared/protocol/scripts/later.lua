-- Follows queue.lua in the scripts that let requests come again, keep some for a later run, and release them once
-- one has begun.
local parked = base .. ':later'

-- Keeps a request until there is a run whose date is not before its own.
local function park(origin, level, bytes, at)
    local id = call('HINCRBY', key('host', origin), 'ids', '1')
    call('ZADD', key('later', origin), digits(at), format('%016x', id) .. level .. bytes)
    call('ZADD', parked, 'LT', digits(at), origin)
    count('later', 1)
end

-- Lets a request come again whose id nothing else has any more: in a later run, at a date, or at once, by adding it
-- to `nearest`. True: it is for a later run.
local function come_again(origin, request, what, at, now, nearest)
    if what == 'later' then -- no run has begun after now
        park(origin, request.level, request.bytes, math.max(at, now + 1))
    elseif at > now then
        put_off(origin, request.level, request.bytes, at, request.id)
    else
        nearest[#nearest + 1] = request
    end
    return what == 'later'
end

-- Turns requests of a host, those with the earliest dates, into dated ones, whose date has passed.
local function release_some(origin, due, most)
    local later, found, words, members = key('later', origin), nil, {}, {}
    found = call('ZRANGEBYSCORE', later, '-inf', digits(due), 'WITHSCORES', 'LIMIT', '0', most)
    for i = 1, #found, 2 do
        words[i], words[i + 1], members[#members + 1] = found[i + 1], found[i], found[i]
    end
    if #members > 0 then
        call('ZADD', key('dated', origin), unpack(words))
        call('ZREM', later, unpack(members))
    end
    local first = call('ZRANGE', later, '0', '0', 'WITHSCORES')
    if first[2] then
        call('ZADD', parked, first[2], origin)
    else
        call('ZREM', parked, origin)
    end
    return #members
end

-- Releases the requests due by this date, of some hosts at a time. True: there are more.
local function release(due)
    local HOSTS_AT_ONCE, REQUESTS_AT_ONCE, released = '16', '250', 0
    for _, origin in ipairs(call('ZRANGEBYSCORE', parked, '-inf', digits(due), 'LIMIT', '0', HOSTS_AT_ONCE)) do
        released = released + release_some(origin, due, REQUESTS_AT_ONCE)
        if not call('ZSCORE', sessions, origin) then
            schedule(origin)
        end
    end
    count('later', -released)
    count('queued', released)
    return released > 0 and call('ZCOUNT', parked, '-inf', digits(due)) > 0
end
