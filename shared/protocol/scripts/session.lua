-- Follows queue.lua in the scripts that give requests to a session and take them back.

-- Puts requests (tables of id, level and bytes) back before all others of their levels, in the order of their ids.
local function put_back(origin, requests)
    local levels = {}
    table.sort(requests, function(a, b) return a.id > b.id end)
    for _, request in ipairs(requests) do
        levels[request.level] = levels[request.level] or {}
        table.insert(levels[request.level], request.bytes)
    end
    for level, of in pairs(levels) do
        put(origin, level, 'LPUSH', of)
    end
end

-- Reads a request from its form in `held`.
local function read_held(id, text)
    return {id = tonumber(id), level = text:sub(1, LEVEL), bytes = text:sub(LEVEL + 1)}
end

local function end_session(origin)
    local held, requests = call('HGETALL', key('held', origin)), {}
    if #held > 0 then
        for i = 1, #held, 2 do
            table.insert(requests, read_held(held[i], held[i + 1]))
        end
        put_back(origin, requests)
        call('DEL', key('held', origin))
        count('held', -#requests)
        count('queued', #requests)
    end
    call('HDEL', key('host', origin), 'token', 'worker')
    call('ZREM', sessions, origin)
    local due = schedule(origin)
    if call('HDEL', key('host', origin), 'wanted') == 1 then
        reserve(origin)
    end
    return due
end

-- Puts requests that have come due before all others of their level, the earliest first.
local function ripen(origin, now)
    local dated, requests = key('dated', origin), {}
    local due = call('ZRANGEBYSCORE', dated, '-inf', digits(now), 'LIMIT', '0', '1000')
    if #due == 0 then
        return
    end
    for i, text in ipairs(due) do
        requests[i] = {id = i, level = text:sub(17, 16 + LEVEL), bytes = text:sub(17 + LEVEL)}
    end
    put_back(origin, requests)
    call('ZREM', dated, unpack(due))
end

-- Takes requests of a level out of the queue.
local function take_from(origin, level, most)
    local list = queue(origin, level)
    local requests = call('LPOP', list, digits(most)) or {} -- somebody may have deleted it
    if #requests < most or call('EXISTS', list) == 0 then
        call('ZREM', key('levels', origin), level)
    end
    return requests
end

-- Gives the session at most `most` of its host's next requests: id, level and bytes of each, one after the other.
local function fill(origin, now, most)
    local given, held, left = {}, {}, most
    ripen(origin, now)
    while left > 0 do
        local level = call('ZRANGE', key('levels', origin), '0', '0')[1]
        if not level then
            break
        end
        local requests = take_from(origin, level, left)
        local id = call('HINCRBY', key('host', origin), 'ids', digits(#requests)) - #requests
        for i, bytes in ipairs(requests) do
            local h, g = #held, #given
            held[h + 1], held[h + 2] = digits(id + i), level .. bytes
            given[g + 1], given[g + 2], given[g + 3] = id + i, level, bytes
        end
        left = left - #requests
    end
    for i = 1, #held, MOST do
        call('HSET', key('held', origin), unpack(held, i, math.min(i + MOST - 1, #held)))
    end
    count('queued', left - most)
    count('held', most - left)
    return given
end
