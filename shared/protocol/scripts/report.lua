-- The work of a worker so far, and now, for people. KEYS[1] is "{NAME}". ARGV: time, lease, worker; "1"
-- where it ends, otherwise "0"; "1" if it has told before, otherwise "0"; "1" where it is idle, otherwise "0"; and
-- numbers behind one another: when it began, pages, failures, bytes of bodies, bytes received, and what no other worker
-- needs to add up. Answers how many workers are alive, and how many others are idle; or nothing if the worker was gone
-- for so long that what it had done was added to that of the others that are gone. Then nothing was written, and the
-- worker is to tell what it has done since it told last.
--
--   idle      sorted set: workers that want a host and have none, by the deadline after which they are taken for dead
--   reports   hash: of each worker the time, 1 if it has ended, and its numbers
--   gone      hash: workers, pages, failures, bytes and received of those that stand no more in reports
local SEEN_FOR = 15000 -- at least: longer than a worker waits between two reports
local ROWS = 256 -- of reports, unless more workers are alive: what one look reads
local reports, gone, workers = base .. ':reports', base .. ':gone', base .. ':workers'
local idle = base .. ':idle'
local now, worker, ends, is_idle = clock(), ARGV[3], ARGV[4], ARGV[6] == '1'

-- Workers that are gone, those that told last at the end.
local function find_gone()
    local rows, found = call('HGETALL', reports), {}
    for i = 1, #rows, 2 do
        local until_then = tonumber(call('ZSCORE', workers, rows[i]) or 0)
        if until_then <= now then
            found[#found + 1] = {name = rows[i], row = rows[i + 1], told = tonumber(rows[i + 1]:match('^%d+') or 0)}
        end
    end
    table.sort(found, function(a, b) return a.told < b.told end)
    return found
end

local function add_up(of)
    local pages, failures, bytes, received = of.row:match('^%d+ %d+ %d+ (%d+) (%d+) (%d+) (%d+)')
    for name, by in pairs({workers = '1', pages = pages, failures = failures, bytes = bytes, received = received}) do
        call('HINCRBY', gone, name, by)
    end
    call('HDEL', reports, of.name)
    call('ZREM', workers, of.name)
end

local is_there = call('HEXISTS', reports, worker) == 1
if not is_there and ARGV[5] == '1' then
    return {}
end
local too_many = is_there and 0 or call('HLEN', reports) + 1 - ROWS
if too_many > 0 then
    local found = find_gone()
    for i = 1, math.min(too_many, #found) do
        add_up(found[i])
    end
end
call('HSET', reports, worker, digits(now) .. ' ' .. ends .. ' ' .. ARGV[7])
if ends == '1' then
    call('ZREM', workers, worker)
else
    call('ZADD', workers, digits(now + math.max(tonumber(ARGV[2]), SEEN_FOR)), worker)
end
call('ZREMRANGEBYSCORE', idle, '-inf', digits(now))
call(is_idle and 'ZADD' or 'ZREM', idle, unpack(is_idle and {digits(now + SEEN_FOR), worker} or {worker}))
return {call('ZCOUNT', workers, digits(now), '+inf'), call('ZCARD', idle) - (is_idle and 1 or 0)}
