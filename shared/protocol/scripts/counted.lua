-- Returns the counts of a partition: queued, held, accepted, refused, done, token, lost, stale, links of the seen-set,
-- keys in the newest link, waiting hosts, sessions, requests for a later run. Queued, held and sessions tell that
-- something is left; accepted and token change whenever there may have been something since.
local function counted()
    local names = {'queued', 'held', 'accepted', 'refused', 'done', 'token', 'lost', 'stale', 'links', 'added',
        'later'}
    local answers = {}
    for i, figure in ipairs(call('HMGET', figures, unpack(names))) do
        answers[i] = tonumber(figure or 0)
    end
    local later = table.remove(answers)
    answers[#answers + 1] = call('ZCARD', hosts)
    answers[#answers + 1] = call('ZCARD', sessions)
    answers[#answers + 1] = later
    return answers
end
