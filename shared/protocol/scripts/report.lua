-- Takes the report of a worker, for users. KEYS[1] is "{NAME}". ARGV: time, lease, worker; "1" if it ends, otherwise
-- "0"; "1" if it has told before, otherwise "0"; "1" if it is idle, otherwise "0"; and its numbers in one text: when it
-- began, pages, failures, bytes of bodies, bytes received, and others that no worker needs to add up. Answers how many
-- workers are alive, and how many others are idle. Answers nothing if the worker was gone for so long that its work was
-- added to that of the others that are gone. Then nothing was written, and the worker must tell what it has done since
-- its last report.
--
--   idle      sorted set: workers that want a host and have none, by the deadline after which they count as dead
--   reports   hash: for each worker the time, 1 if it has ended, and its numbers
--   gone      hash: workers, pages, failures, bytes and received of those that are no longer in reports
local SEEN_FOR = 15000 -- at least; longer than the time between two reports of a worker
local ROWS = 256 -- maximum of reports, unless more workers are alive: a look reads all
local reports, gone, workers = base .. ':reports', base .. ':gone', base .. ':workers'
local idle = base .. ':idle'
local now, worker, ends, is_idle = clock(), ARGV[3], ARGV[4], ARGV[6] == '1'

-- Returns the workers that are gone, those that told last at the end.
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
