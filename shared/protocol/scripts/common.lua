-- Precedes the scripts of a partition. KEYS[1] is "{NAME:p}": the braces make it the hash tag of all keys of the
-- partition, so that one node has them all, and each script touches that node alone. No key has that very name: a node
-- that moves the slot to another refuses commands whose keys it does not have, and so refuses the whole script before
-- it has begun, whatever it would touch.
--
--   figures          hash: the counts, the numbers that only grow (token, links), and made, the sign of the crawl
--   seen:I           bitmap, a link of the seen-set's chain; or seen, a set of fingerprints; or neither, if
--                    "NAME:dupefilter" is the set, which spiders of scrapy-redis share
--   hosts            sorted set: hosts that have requests and no session, by the time when they may be asked
--   sessions         sorted set: hosts that a worker has, by their deadline
--   host:ORIGIN      hash: record and more, its two pieces; pause, open; with a session token and worker, and wanted if
--                    another worker seeks the host; ids, the last id given
--   levels:ORIGIN    sorted set: the levels that have requests, in order
--   queue:ORIGIN:L   list: the requests of a level, first come first
--   dated:ORIGIN     sorted set: requests for later, by their date
--   held:ORIGIN      hash: requests that a session has, by their id
--   bodies           hash: the first page with each body, in the partition of its digest, not of its host
--   later            sorted set: hosts that have requests for a later run, by the first date of these
--   later:ORIGIN     sorted set: these requests, by their date
--
-- The keys of the crawl as a whole begin with "{NAME}" instead: crawl, a hash of the choices fixed at its start;
-- workers and feeders, sorted sets by deadline of the workers that live and of those that have seeds. join.lua,
-- tickets.lua, turns.lua, stir.lua, run.lua, notes.lua, jar.lua and report.lua describe the others.
--
-- ARGV[1] is the time, or 0 for the server's, followed by the sign of the crawl if the caller has joined it. A server
-- that came back without the crawl does not have that sign; neither does a node that was given the slot without its
-- keys. Then nothing is written, and nothing is answered that could be taken for the end.
local base, call, format = KEYS[1], redis.call, string.format
local figures, hosts, sessions = base .. ':figures', base .. ':hosts', base .. ':sessions'
local LEVEL = 16 -- digits
local MOST = 1000 -- arguments of one call; Lua's stack has room for some thousands
-- Bytes of a record in the field `record`; the rest is in `more`. A hash with a value of more than 64 bytes takes
-- nearly twice the memory (hash-max-listpack-value), and every host that was ever asked has one.
local PIECE = 64
local moment, sign = ARGV[1]:match('^(%d+) ?(%x*)$')
-- Reads the figures of push.lua with the sign: most scripts are pushes, and a second call would take longer.
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

-- A whole number as an argument. Lua would write a number with 17 digits, which takes the server longer than most
-- calls do.
local function digits(number)
    return format('%d', number)
end

-- In milliseconds: the server's time, or that given by a test.
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
