-- Stands before the scripts of a partition. KEYS[1] is "{NAME:p}": the braces make it the hash tag of all keys
-- of the partition, so that one node has them all, and each script touches that node alone. No key has that very name:
-- a node that moves the slot to another refuses commands whose keys it does not have, and so the whole script before it
-- has begun, whatever it would touch.
--
--   figures          hash: what is counted, the numbers that only grow (token, links), and made, the sign of the crawl
--   seen:I           bitmap, a link of the seen-set's chain; or seen, a set of fingerprints; or neither, where
--                    "NAME:dupefilter" is the set, which spiders of scrapy-redis share
--   hosts            sorted set: hosts that have requests and no session, by the time when they may be asked
--   sessions         sorted set: hosts that a worker has, by their deadline
--   host:ORIGIN      hash: record, and more of it; pause, open; with a session its token and worker, and wanted where
--                    another worker seeks the host; ids given so far
--   levels:ORIGIN    sorted set: the levels that have requests, in order
--   queue:ORIGIN:L   list: the requests of a level, first come first
--   dated:ORIGIN     sorted set: requests for later, by their date
--   held:ORIGIN      hash: requests that a session has, by their id
--   bodies           hash: the first page with each body; its digest, and not its host, is of the partition
--   later            sorted set: hosts that have requests for a later run, by the first date of these
--   later:ORIGIN     sorted set: these requests, by their date
--
-- The crawl as a whole has "{NAME}" in place of it, and crawl, a hash of what is decided once; workers and feeders,
-- sorted sets of those that live and of those that have seeds, by their deadlines. join.lua, tickets.lua, turns.lua, stir.lua,
-- run.lua, notes.lua, jar.lua and report.lua say what else there is.
--
-- ARGV[1] is the time, or 0 for the server's; and behind it, from whoever has joined the crawl, its sign. A server that
-- came back without the crawl does not have that sign, and neither has a node that was given the slot without its keys.
-- Nothing is written there, and nothing is answered that could be taken for the end.
local base, call, format = KEYS[1], redis.call, string.format
local figures, hosts, sessions = base .. ':figures', base .. ':hosts', base .. ':sessions'
local LEVEL = 16 -- digits
local MOST = 1000 -- arguments that are put into one call at once; Lua's stack has room for some thousands
-- Bytes of a record that stand in `record`; the rest is in `more`. A hash with a value that is longer than 64 bytes
-- takes nearly twice the memory (hash-max-listpack-value), and every host that was ever asked has one.
local PIECE = 64
local moment, sign = ARGV[1]:match('^(%d+) ?(%x*)$')
-- The figures of push.lua are read with the sign: most scripts are pushes, and a second call takes longer than that.
local stood = call('HMGET', figures, 'made', 'links', 'added', 'queued', 'accepted', 'refused')
if sign ~= '' and stood[1] ~= sign then
    return redis.error_reply((stood[1] and 'OTHERCRAWL ' or 'LOSTCRAWL ') .. base)
end

local function key(word, origin)
    return base .. ':' .. word .. ':' .. origin
end

local function queue(origin, level)
    return base .. ':queue:' .. origin .. ':' .. level
end

-- A whole number as an argument. A number that is no text would be written with 17 digits, which takes the server
-- longer than most calls do.
local function digits(number)
    return format('%d', number)
end

-- In milliseconds: the server's, or the one that a test says.
local function clock()
    if moment ~= '0' then
        return tonumber(moment)
    end
    local time = call('TIME')
    return time[1] * 1000 + math.floor(time[2] / 1000)
end

local function count(name, by)
    if by ~= 0 then
        call('HINCRBY', figures, name, digits(by))
    end
end
