-- Stands behind common.lua in the scripts that give requests to a session.

-- What has come due goes before all others of its level, the earliest first.
local function ripen(origin, now)
    local due = redis.call('ZRANGEBYSCORE', key('dated', origin), '-inf', now, 'LIMIT', 0, 1000)
    for i = #due, 1, -1 do
        put(origin, due[i]:sub(17, 16 + LEVEL), due[i]:sub(17 + LEVEL), 'LPUSH')
        redis.call('ZREM', key('dated', origin), due[i])
    end
end

-- Gives the session the next requests of its host, at most so many: id, level and bytes of each, one behind the other.
local function fill(origin, now, most)
    local given, left = {}, most
    ripen(origin, now)
    while left > 0 do
        local level = redis.call('ZRANGE', key('levels', origin), 0, 0)[1]
        if not level then
            break
        end
        local requests = redis.call('LPOP', queue(origin, level), left)
        local id = redis.call('HINCRBY', key('host', origin), 'ids', #requests) - #requests
        for _, bytes in ipairs(requests) do
            id = id + 1
            redis.call('HSET', key('held', origin), id, level .. bytes)
            given[#given + 1] = id
            given[#given + 1] = level
            given[#given + 1] = bytes
        end
        if redis.call('EXISTS', queue(origin, level)) == 0 then
            redis.call('ZREM', key('levels', origin), level)
        end
        left = left - #requests
    end
    count('queued', left - most)
    count('held', most - left)
    return given
end
