-- Writes of a session: all of them or, with a token that is not the host's, none. ARGV: time, origin, token; its pause,
-- the time before which it may not be asked, and its record, each after "=" or empty if unchanged; how many more
-- requests it wants; "1" to end the session; the number of finished requests, and their ids; then the other changes,
-- five words each:
--   back ID DATE - -             comes again in its place, or at the date if that is not 0
--   again ID DATE LEVEL BYTES    as back, with a new level and new bytes
--   later ID DATE LEVEL BYTES    as again, and only in a run that begins at the date or later
-- Requests that a session still has at its end go back in order. A change to a request that the session does not have,
-- or no longer has, does nothing, so a caller that got no answer may repeat the call. Answers "stale" for a wrong
-- token; at the end of a session when the host may be taken, or -1 if it has no requests; otherwise the requests
-- wanted.
local origin, more, finished = ARGV[2], tonumber(ARGV[7]), tonumber(ARGV[9])
local host, held = key('host', origin), key('held', origin)
if call('HGET', host, 'token') ~= ARGV[3] then
    count('stale', 1)
    return 'stale'
end
for i, name in ipairs({'pause', 'open'}) do
    if ARGV[i + 3] ~= '' then
        call('HSET', host, name, ARGV[i + 3]:sub(2))
    end
end
if ARGV[6] ~= '' then
    call('HSET', host, 'record', ARGV[6]:sub(2, PIECE + 1), 'more', ARGV[6]:sub(PIECE + 2))
end

local done, back, kept, nearest, now = 0, 0, 0, {}, nil
if finished > 0 then
    done = call('HDEL', held, unpack(ARGV, 10, 9 + finished))
end
if more > 0 or #ARGV > 9 + finished then
    now = clock()
end
for i = 10 + finished, #ARGV, 5 do
    local what, id, at = ARGV[i], ARGV[i + 1], tonumber(ARGV[i + 2]) or 0
    local text = call('HGET', held, id)
    if text then
        call('HDEL', held, id)
        local request = read_held(id, text)
        if what ~= 'back' then
            request.level, request.bytes = ARGV[i + 3], ARGV[i + 4]
        end
        if come_again(origin, request, what, at, now, nearest) then
            kept = kept + 1
        else
            back = back + 1
        end
    end
end
put_back(origin, nearest)
count('held', -done - back - kept)
count('queued', back)
count('done', done)
if ARGV[8] == '1' then
    return end_session(origin)
end
return more > 0 and fill(origin, now, more) or {}
