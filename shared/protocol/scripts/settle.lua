-- Settles a request that a session has put off ("back" with a date) and that its worker still has. The worker puts
-- it off again and again before its date, and in the end says what came of it; that needs no session. ARGV: time,
-- origin; its id; the first and the last date that it may have; "finished" or a word of write.lua; and, as there,
-- date, level and bytes. A request without such a date has come due and is another worker's: answers "stale".
-- Otherwise answers when the host may be taken, or -1 if it has no requests, or has a session.
local origin, what, at = ARGV[2], ARGV[6], tonumber(ARGV[7]) or 0
local dated, name = key('dated', origin), format('%016x', ARGV[3])

local function find()
    for _, text in ipairs(call('ZRANGEBYSCORE', dated, ARGV[4], ARGV[5])) do
        if text:sub(1, 16) == name then
            return text
        end
    end
end

local text = find()
if not text then
    return 'stale'
end
call('ZREM', dated, text)
if what == 'finished' then
    count('queued', -1)
    count('done', 1)
else
    local nearest, request = {}, {id = tonumber(ARGV[3]), level = text:sub(17, 16 + LEVEL), bytes = text:sub(17 + LEVEL)}
    if what ~= 'back' then
        request.level, request.bytes = ARGV[8], ARGV[9]
    end
    if come_again(origin, request, what, at, clock(), nearest) then
        count('queued', -1)
    end
    put_back(origin, nearest)
end
return call('ZSCORE', sessions, origin) and -1 or schedule(origin)
