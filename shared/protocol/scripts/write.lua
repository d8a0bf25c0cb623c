-- Every write of a session, all of it or, with a token that is not the host's, nothing. ARGV: time, origin, token; its
-- pause, the time before which it may not be asked, and its record, each behind "=" or empty where it stays as it is;
-- how many requests more it wants; "1" where the session ends; how many requests were asked for good, and their ids;
-- then the others that change, five words each:
--   back ID DATE - -             it comes again, in its place, or at the date if that is not 0
--   again ID DATE LEVEL BYTES    the same, with these in place of those it had
--   later ID DATE LEVEL BYTES    the same, and no earlier than in a run that begins at the date or after it
-- Requests that a session still has at its end go back in order. A change of a request that the session does not have (any
-- more) does nothing, so that a caller that had no answer may ask again. Answers "stale" for a wrong token; at the
-- end of a session when the host may be taken, or -1 if it has nothing; otherwise the requests that were wanted.
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
