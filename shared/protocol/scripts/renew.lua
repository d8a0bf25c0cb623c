-- The heartbeat of a worker for its sessions in this partition. ARGV: time, lease, then origin and token of each
-- session. Answers 1 for each session that the worker still has, 2 if another worker also seeks the host, 0 if the
-- host is another's.
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
