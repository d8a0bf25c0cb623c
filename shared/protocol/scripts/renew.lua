-- The heartbeat of a worker for its sessions in this partition. ARGV: time, lease, then origin and token of each.
-- Answers 1 for each that it still has, 2 if another worker seeks it as well, 0 for one that is another's.
local deadline, answers = digits(clock() + ARGV[2]), {}
for i = 3, #ARGV, 2 do
    local had = call('HMGET', key('host', ARGV[i]), 'token', 'wanted')
    local has = had[1] == ARGV[i + 1]
    if has then
        call('ZADD', sessions, 'XX', deadline, ARGV[i])
    end
    answers[#answers + 1] = has and (had[2] and 2 or 1) or 0
end
return answers
