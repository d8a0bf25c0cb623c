-- Restores a host that a worker had, on a server that may have lost it. ARGV: time, origin, pause, the time before
-- which it may not be asked, and its record.
local origin, record = ARGV[2], ARGV[5]
local host = key('host', origin)
local open = math.max(tonumber(call('HGET', host, 'open') or 0), tonumber(ARGV[4]))
call('HSET', host, 'pause', ARGV[3], 'open', digits(open), 'record', record:sub(1, PIECE), 'more',
    record:sub(PIECE + 1))
if not call('ZSCORE', sessions, origin) then
    schedule(origin)
end
return 1
