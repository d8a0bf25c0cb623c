/* See help.h. */
#include "crawler/program/help.h"

#include "tools/common/refused_memory.h"

#include <crawl/config.h>

void cw_program_help(FILE *out)
{
    fputs("usage: crawl [options] [URL...]\n"
          "       crawl help [WORD]\n"
          "\n"
          "Crawls the web from URLs or a file of seeds over the links it finds.\n"
          "\n"
          "  crawl --seeds seeds.txt --depth 3 --output pages.jsonl\n"
          "\n"
          "With --state DIR the crawl is kept in DIR, and `crawl --state DIR` goes on with\n"
          "it after any end, with the options it had; those given then go before.\n"
          "--max-pages, --max-time and --max-bytes are limits of one run. --order and\n"
          "[seen] are decided once. `crawl inspect DIR` shows what is there.\n"
          "\n"
          "  crawl --state news --output news.jsonl https://example.com/\n"
          "\n"
          "With --state redis://HOST/DB?name=NAME several processes, on as many machines,\n"
          "share one crawl: whoever comes joins it.\n"
          "\n"
          "Options; each can stand in crawler.conf too, and overrides it:\n",
          out);
    if (crawl_config_help(out) == CRAWL_ENOMEM)
        cw_tool_memory_refused();
    fputs("\nOthers:\n"
          "  --config FILE      read this configuration in place of ./crawler.conf\n"
          "  --print-config     print the effective configuration, commented, and end\n"
          "  -h, --help         print this, and end\n"
          "  -V, --version      print the version, those of the libraries in use and of\n"
          "                     Unicode, and end\n"
          "\n"
          "What holds for one host alone (headers, user and password, proxy, delay, ...)\n"
          "stands in sections [host NAME] of the configuration; --print-config lists their\n"
          "keys.\n"
          "\n"
          "Durations are written 250ms, 5s or 5, 2m, 1h, 7d; counts 10k, 5M, 1G; sizes\n"
          "64KiB, 1MiB, or 64k, 1M in thousands.\n"
          "\n"
          "SIGINT (Ctrl-C), SIGTERM and SIGHUP end a\n"
          "crawl cleanly, with all of it kept; a second one, half a second later or more,\n"
          "ends it at once. With --log SIGHUP opens the log and all files of lines anew in\n"
          "place of it, and reads crawler.conf again for what can change. SIGUSR1 prints\n"
          "the summary so far. Under systemd: SuccessExitStatus=3.\n"
          "\n"
          "Exit status: 0 done, 1 nothing could be fetched (no page came with status 2xx or\n"
          "304), 2 usage or configuration, 3 stopped by a signal, 4 disk or memory, 6 in\n"
          "use by another process.\n",
          out);
}
