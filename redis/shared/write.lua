-- Every write of a session, all of it or, with a token that is not the host's, nothing. ARGV: time, origin, token; its
-- pause, the time before which it may not be asked, and its record, each behind "=" or empty where it stays as it is;
-- how many requests more it wants; "1" where the session ends; then changes of requests, five words each:
--   done ID - - -                it was asked
--   back ID DATE - -             it comes again, in its place, or at the date if that is not 0
--   again ID DATE LEVEL BYTES    the same, with these in place of those it had
-- What a session that ends still has goes back in order. A change of a request that the session does not have (any
-- more) does nothing, so that a caller that had no answer may ask again. Answers -1 for a wrong token; otherwise the
-- requests that were wanted.
local now, origin = clock(ARGV[1]), ARGV[2]
local host, held = key('host', origin), key('held', origin)
if redis.call('HGET', host, 'token') ~= ARGV[3] then
    count('stale', 1)
    return -1
end
for i, name in ipairs({'pause', 'open', 'record'}) do
    if ARGV[i + 3] ~= '' then
        redis.call('HSET', host, name, ARGV[i + 3]:sub(2))
    end
end

local done, back, nearest = 0, 0, {}
for i = 9, #ARGV, 5 do
    local what, id, at = ARGV[i], ARGV[i + 1], tonumber(ARGV[i + 2]) or 0
    local request = redis.call('HGET', held, id)
    if request then
        redis.call('HDEL', held, id)
        local level, bytes = request:sub(1, LEVEL), request:sub(LEVEL + 1)
        if what == 'again' then
            level, bytes = ARGV[i + 3], ARGV[i + 4]
        end
        if what == 'done' then
            done = done + 1
        elseif at > now then
            put_off(origin, level, bytes, at)
            back = back + 1
        else
            nearest[#nearest + 1] = {id = tonumber(id), level = level, bytes = bytes}
            back = back + 1
        end
    end
end
table.sort(nearest, function(a, b) return a.id > b.id end)
for _, request in ipairs(nearest) do
    put(origin, request.level, request.bytes, 'LPUSH')
end
count('held', -done - back)
count('queued', back)
count('done', done)
if ARGV[8] == '1' then
    end_session(origin)
    return {}
end
return fill(origin, now, tonumber(ARGV[7]))
