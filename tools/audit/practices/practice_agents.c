#include "tools/audit/practices/practice_agents.h"

#include "base/array.h"

#include <stdlib.h>

typedef struct cw_practice_agent {
    uint64_t line;
    int64_t at_us;
    char *text;
} practice_agent;

void cw_practice_agents_free(cw_practice_agents *agents)
{
    for (size_t i = 0; i < agents->count; i++)
        free(agents->runs[i].text);
    free(agents->runs);
}

/* Returns true if both differ only in digits and dots, as two versions of one bot do. */
static bool agent_is_same(const char *a, const char *b)
{
    static const char version[] = "0123456789.";
    for (;;) {
        a += strspn(a, version);
        b += strspn(b, version);
        if (*a != *b)
            return false;
        if (!*a++)
            return true;
        b++;
    }
}

/* Returns true if text contains this word, ignoring case. */
static bool agent_has(const char *text, const char *word)
{
    return *word && strcasestr(text, word);
}

static void check_agent(cw_practice_findings *findings, uint64_t line, const char *agent, const char *token)
{
    if (!token || !agent_has(agent, token))
        cw_practice_break(
            findings, CW_PRACTICE_AGENT_NAME, line,
            "\"%.80s\" lacks the name for robots.txt, \"%.40s\": begin user_agent with your bot's name, and unset "
            "robots_agent",
            agent, token ? token : "");
    else if (strcasecmp(token, "crawl") == 0)
        cw_practice_break(findings, CW_PRACTICE_AGENT_NAME, line,
                          "\"%.80s\" has the name of this program: give your bot one with user_agent", agent);
    else
        cw_practice_keep(findings, CW_PRACTICE_AGENT_NAME);
    if (agent_has(agent, "https://") || agent_has(agent, "http://"))
        cw_practice_keep(findings, CW_PRACTICE_AGENT_URL);
    else
        cw_practice_break(findings, CW_PRACTICE_AGENT_URL, line,
                          "\"%.80s\" has none: set user_agent = \"NAME/1.0 (+https://...)\"", agent);
}

crawl_err cw_practice_agents_add(cw_practice_agents *agents, cw_practice_findings *findings, uint64_t line,
                                 int64_t at_us, const char *agent, const char *token)
{
    if (CW_ARRAY_RESERVE(agents->runs, agents->capacity, agents->count + 1, 4))
        return CRAWL_ENOMEM;
    char *text = strdup(agent);
    if (!text)
        return CRAWL_ENOMEM;
    agents->runs[agents->count++] = (practice_agent){.line = line, .at_us = at_us, .text = text};
    check_agent(findings, line, agent, token);
    if (agent_is_same(agents->runs[0].text, agent))
        cw_practice_keep(findings, CW_PRACTICE_AGENT_SAME);
    else
        cw_practice_break(findings, CW_PRACTICE_AGENT_SAME, line, "\"%.80s\", and \"%.80s\" on line %llu", agent,
                          agents->runs[0].text, (unsigned long long)agents->runs[0].line);
    return CRAWL_OK;
}

void cw_practice_agents_wall(cw_practice_agents *agents, int64_t at_us)
{
    if (!agents->is_walled || at_us < agents->walled_us)
        agents->walled_us = at_us;
    agents->is_walled = true;
}

void cw_practice_agents_end(const cw_practice_agents *agents, cw_practice_findings *findings)
{
    const practice_agent *walled = NULL; /* the agent that met the wall */
    if (!agents->count)
        return;
    cw_practice_tell(findings, CW_PRACTICE_IDENTITY, "%s", agents->is_walled ? "" : "no wall answered");
    for (size_t i = 0; i < agents->count && agents->is_walled; i++) {
        const practice_agent *one = &agents->runs[i];
        if (!walled || one->at_us <= agents->walled_us)
            walled = one;
        else if (!agent_is_same(walled->text, one->text))
            cw_practice_break(findings, CW_PRACTICE_IDENTITY, one->line,
                              "\"%.80s\", after a wall had answered the one of line %llu", one->text,
                              (unsigned long long)walled->line);
    }
}
