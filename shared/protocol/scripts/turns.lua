-- Turns at places of several hosts that only one worker at a time may ask: an address, or a group of hosts. KEYS[1] is
-- "{NAME}". ARGV: time, lease, worker; and for each place its name, the number of the worker's turn there, "1" if it
-- wants the turn or keeps it and "0" if it gives it back, and how many milliseconds ago it last asked there, or -1.
-- Answers for each place three numbers: whether this worker has the turn, whether another one waits for it, and how
-- long ago the place was last asked, at the latest.
--
--   turn:PLACE   hash: owner, a worker and the number of its turn, or nothing; till, its deadline; asked, when the
--                place was last asked; waiter, the next worker, and waited, when it said so
--
-- A worker that died may have asked until its deadline. Each turn of a worker has a number, so that a late word about
-- an ended turn does not end the next.
local WAITS = 1000 -- milliseconds after which a waiter that has not asked again no longer waits
local now, worker, answers = clock(), ARGV[3], {}
for i = 4, #ARGV, 4 do
    local turn, me, ago = base .. ':turn:' .. ARGV[i], worker .. ' ' .. ARGV[i + 1], tonumber(ARGV[i + 3])
    local said = call('HMGET', turn, 'owner', 'till', 'asked', 'waiter', 'waited')
    local owner, till, asked = said[1] or '', tonumber(said[2] or 0), tonumber(said[3] or 0)
    local waiter, waited = said[4] or '', tonumber(said[5] or 0)
    if owner ~= '' and till <= now then
        owner, asked = '', math.max(asked, till)
    end
    if ago >= 0 then
        asked = math.max(asked, now - ago)
    end
    if waiter == worker or waited + WAITS <= now then
        waiter = ''
    end
    if ARGV[i + 2] == '0' then
        owner = owner ~= me and owner or ''
    elseif owner == me or (owner == '' and waiter == '') then
        owner, till = me, now + ARGV[2]
    elseif waiter == '' then
        waiter, waited = worker, now
    end
    call('HSET', turn, 'owner', owner, 'till', digits(till), 'asked', digits(asked), 'waiter', waiter, 'waited',
        digits(waited))
    table.insert(answers, owner == me and 1 or 0)
    table.insert(answers, waiter ~= '' and waiter ~= worker and 1 or 0)
    table.insert(answers, now - asked)
end
return answers
