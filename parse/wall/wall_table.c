/* The services and their signs, as of November 2026: from documents of the services, from tools that detect them, and
 * from observed pages. A sign that ordinary pages have too does not count: `cf-ray`, cookies of bot managers, scripts
 * that count visitors, the widget of a CAPTCHA in a contact form. A service that changes its pages needs another row
 * here. */
#include "parse/wall/wall_table.h"

/* clang-format off */
#define HEADER(name, value) {CW_WALLS_ON_HEADER, value, name}
#define COOKIE(text)   {CW_WALLS_ON_COOKIE, text, NULL}
#define LOCATION(text) {CW_WALLS_ON_LOCATION, text, NULL}
#define AWAY(text)     {CW_WALLS_ON_AWAY, text, NULL}
#define URL(text)      {CW_WALLS_ON_URL, text, NULL}
#define TITLE(text)    {CW_WALLS_ON_TITLE, text, NULL}
#define TEXT(text)     {CW_WALLS_ON_TEXT, text, NULL}
#define MARK(text)     {CW_WALLS_ON_MARK, text, NULL}
#define SCRIPT(text)   {CW_WALLS_ON_SCRIPT, text, NULL}
#define JSON(text)     {CW_WALLS_ON_JSON, text, NULL}
#define PLAIN(text)    {CW_WALLS_ON_PLAIN, text, NULL}
#define BARE           {CW_WALLS_ON_BARE, "", NULL}
#define MUTE           {CW_WALLS_ON_MUTE, "", NULL}
#define FORM           {CW_WALLS_ON_FORM, "", NULL}
#define ROOT           {CW_WALLS_ON_ROOT, "", NULL}
#define CHALLENGE CRAWL_VERDICT_CHALLENGE
#define WALL      CRAWL_VERDICT_WALL
#define PARKED    CRAWL_VERDICT_PARKED

const cw_walls_row cw_walls_rows[] = {
    {"Cloudflare", CHALLENGE, {0}, {HEADER("cf-mitigated", "challenge")}},
    {"Cloudflare", CHALLENGE, {0}, {TITLE("Just a moment..."), SCRIPT("_cf_chl_opt")}},
    {"Cloudflare", CHALLENGE, {0},
        {TITLE("Just a moment..."), SCRIPT("/cdn-cgi/challenge-platform/"), SCRIPT("orchestrate")}},
    {"Cloudflare", CHALLENGE, {0},
        {TEXT("Enable JavaScript and cookies to continue"),
         SCRIPT("/cdn-cgi/challenge-platform/"), SCRIPT("orchestrate")}},
    {"Cloudflare", WALL, {403}, {MARK(" data-translate=block_headline\n")}},
    {"Cloudflare", WALL, {403}, {MARK(" class=cf-error-code\n")}},
    {"Cloudflare", WALL, {403}, {TITLE("Attention Required! | Cloudflare")}},
    {"Cloudflare", WALL, {403}, {PLAIN("error code: 10")}},
    {"Akamai", WALL, {200, 403}, {HEADER("server", "AkamaiGHost"), TITLE("Access Denied"), TEXT("Reference #")}},
    {"Akamai", WALL, {403}, {TITLE("Access Denied"), TEXT("errors.edgesuite.net")}},
    {"Akamai", CHALLENGE, {200, 428}, {MARK("=sec-if-cpt-container\n"), BARE}},
    {"Akamai", CHALLENGE, {200, 428}, {MARK("=sec-bc-tile-container\n"), BARE}},
    {"Akamai", CHALLENGE, {200, 428}, {TEXT("Powered and protected by Akamai"), BARE}},
    {"AWS WAF", CHALLENGE, {0}, {HEADER("x-amzn-waf-action", "challenge")}},
    {"AWS WAF", CHALLENGE, {0}, {HEADER("x-amzn-waf-action", "captcha")}},
    {"AWS WAF", CHALLENGE, {0}, {SCRIPT("gokuProps"), SCRIPT(".awswaf.com/"), BARE}},
    {"CloudFront", WALL, {403},
        {HEADER("x-cache", "Error from cloudfront"),
         TEXT("The request could not be satisfied"), TEXT("Request blocked")}},
    {"DataDome", CHALLENGE, {0}, {HEADER("x-datadome", "protected"), HEADER("x-dd-b", "")}},
    {"DataDome", CHALLENGE, {0}, {SCRIPT("var dd={"), SCRIPT("captcha-delivery.com")}},
    {"DataDome", CHALLENGE, {403, 429}, {JSON("captcha-delivery.com/")}},
    {"HUMAN", CHALLENGE, {0}, {TITLE("Access to this page has been denied"), SCRIPT("_pxAppId"), SCRIPT("_pxUuid")}},
    {"HUMAN", CHALLENGE, {0}, {TITLE("Access to this page has been denied"), SCRIPT("_pxAppId"), MARK("px-captcha")}},
    {"HUMAN", CHALLENGE, {403, 429}, {SCRIPT("_pxAppId"), MARK("px-captcha")}},
    {"HUMAN", CHALLENGE, {403, 429}, {JSON("\"appId\""), JSON("\"blockScript\""), JSON("\"vid\"")}},
    {"Imperva", WALL, {0}, {HEADER("x-iinfo", ""), MARK("iframe src=/_Incapsula_Resource?"), MARK("incident_id=")}},
    {"Imperva", WALL, {0}, {HEADER("x-iinfo", ""), TEXT("Incapsula incident ID")}},
    {"Imperva", WALL, {0}, {TITLE("Pardon Our Interruption")}},
    {"Sucuri", WALL, {0}, {HEADER("x-sucuri-block", "")}},
    {"Sucuri", WALL, {0}, {TITLE("Sucuri WebSite Firewall - Access Denied")}},
    {"Sucuri", WALL, {0}, {MARK("sucuri-firewall-block.css")}},
    {"Sucuri", CHALLENGE, {0}, {SCRIPT("sucuri_cloudproxy_js"), BARE}},
    {"Kasada", CHALLENGE, {403, 429}, {HEADER("x-kpsdk-ct", ""), SCRIPT("KPSDK.scriptStart"), BARE}},
    {"Kasada", CHALLENGE, {403, 429}, {HEADER("x-kpsdk-ct", ""), SCRIPT("/ips.js?"), BARE}},
    {"Kasada", CHALLENGE, {403, 429}, {HEADER("x-kpsdk-r", ""), SCRIPT("/ips.js?"), BARE}},
    {"Anubis", CHALLENGE, {0}, {LOCATION("/.within.website/")}},
    {"Anubis", CHALLENGE, {0}, {MARK("script id=anubis_challenge\n")}},
    {"Anubis", CHALLENGE, {0}, {MARK("script id=anubis_version\n"), BARE}},
    {"Anubis", CHALLENGE, {0}, {COOKIE("techaro.lol-anubis-"), TITLE("Making sure you're not a bot!")}},
    {"Anubis", WALL, {0}, {TITLE("Oh noes!"), MARK("/.within.website/x/")}},
    {"go-away", CHALLENGE, {0}, {LOCATION("/.well-known/.git.gammaspectra.live/")}},
    {"go-away", CHALLENGE, {0}, {MARK("/.well-known/.git.gammaspectra.live/")}},
    {"Vercel", CHALLENGE, {0}, {HEADER("x-vercel-mitigated", "challenge")}},
    {"Vercel", WALL, {0}, {HEADER("x-vercel-mitigated", "deny")}},
    {"Vercel", CHALLENGE, {403, 429}, {TITLE("Vercel Security Checkpoint")}},
    {"Fastly", CHALLENGE, {0}, {TITLE("Client Challenge"), SCRIPT("/_fs-ch-")}},
    {"Fastly", CHALLENGE, {0}, {TITLE("Client Challenge"), MARK("/_fs-ch-")}},
    {"Fastly", CHALLENGE, {0}, {COOKIE("_fs_ch_st_"), TITLE("Client Challenge")}},
    {"F5", WALL, {0}, {TITLE("Request Rejected"), TEXT("The requested URL was rejected"), TEXT("support ID")}},
    {"F5", CHALLENGE, {0}, {SCRIPT("/TSPD/"), MUTE}},
    {"F5", CHALLENGE, {0}, {SCRIPT("bobcmn"), BARE}},
    {"Azure", WALL, {200, 403, 405, 406, 429}, {HEADER("x-azure-ref", ""), TEXT("The request is blocked.")}},
    {"Azure", WALL, {403}, {TITLE("403 Forbidden"), TEXT("Microsoft-Azure-Application-Gateway")}},
    {"DDoS-Guard", CHALLENGE, {0}, {HEADER("server", "ddos-guard"), SCRIPT("/.well-known/ddos-guard/js-challenge/")}},
    {"DDoS-Guard", CHALLENGE, {0}, {HEADER("server", "ddos-guard"), SCRIPT("check.ddos-guard.net")}},
    {"DDoS-Guard", CHALLENGE, {0}, {HEADER("server", "ddos-guard"), TITLE("DDOS-GUARD")}},
    {"Wordfence", WALL, {403, 503}, {TEXT("Generated by Wordfence")}},
    {"ModSecurity", WALL, {403, 406}, {TEXT("Not Acceptable!"), TEXT("Mod_Security")}},
    {"SiteGround", CHALLENGE, {0}, {MARK("/.well-known/sgcaptcha/")}},
    {"SiteGround", CHALLENGE, {0}, {LOCATION("/.well-known/sgcaptcha/")}},
    {"Imunify360", CHALLENGE, {0}, {TITLE("One moment, please..."), TEXT("your request is being verified")}},
    {"Imunify360", WALL, {0}, {JSON("denied by Imunify360")}},
    {"Alibaba Cloud", CHALLENGE, {0}, {SCRIPT("acw_sc__v2"), MUTE}},
    {"Alibaba Cloud", CHALLENGE, {0}, {LOCATION("/_____tmd_____/punish")}},
    {"Radware", CHALLENGE, {0}, {AWAY("validate.perfdrive.com")}},
    {"Yandex", CHALLENGE, {0}, {LOCATION("/showcaptcha?")}},
    {"FortiWeb", WALL, {0}, {TEXT("Web Page Blocked"), TEXT("Attack ID")}},
    {"Reblaze", CHALLENGE, {0}, {COOKIE("rbzid"), MUTE}},
    {"Google", WALL, {0}, {LOCATION("google.com/sorry/")}},
    {"Google", WALL, {429}, {URL("/sorry/"), TEXT("unusual traffic")}},
    {"Google", WALL, {429}, {TEXT("unusual traffic"), MARK("google.com/sorry")}},
    {"LinkedIn", WALL, {999}, {URL("linkedin.")}},
    {"Reddit", WALL, {403}, {TEXT("blocked by network security")}},
    {"hCaptcha", CHALLENGE, {403, 429, 503}, {SCRIPT("hcaptcha.com/1/api.js"), FORM}},
    {"reCAPTCHA", CHALLENGE, {403, 429, 503}, {SCRIPT("google.com/recaptcha/"), FORM}},
    {"reCAPTCHA", CHALLENGE, {403, 429, 503}, {SCRIPT("recaptcha.net/recaptcha/"), FORM}},
    {"suspended", PARKED, {0}, {LOCATION("/cgi-sys/suspendedpage.cgi")}},
    {"suspended", PARKED, {0}, {URL("/cgi-sys/suspendedpage.cgi")}},
    {"suspended", PARKED, {200, 403, 503}, {TITLE("Account Suspended"), ROOT}},
    {"default page", PARKED, {200, 403}, {TITLE("Welcome to nginx!"), ROOT}},
    {"default page", PARKED, {200, 403}, {TITLE("Apache2 Debian Default Page: It works"), ROOT}},
    {"default page", PARKED, {200, 403}, {TITLE("Apache2 Ubuntu Default Page: It works"), ROOT}},
    {"default page", PARKED, {200, 403}, {TITLE("IIS Windows Server"), ROOT}},
    {"default page", PARKED, {200, 403}, {TITLE("Test Page for the Apache HTTP Server"), ROOT}},
    {"default page", PARKED, {200, 403}, {TITLE("Test Page for the Nginx HTTP Server"), ROOT}},
    {"parked", PARKED, {200}, {SCRIPT("window.location.href=\"/lander\""), MUTE}},
    {"parked", PARKED, {200}, {MARK("\nhtml data-adblockkey=")}},
    {"Sedo", PARKED, {200}, {SCRIPT("sedoparking.com/")}},
    {"Sedo", PARKED, {200}, {MARK("frame src=https://sedoparking.com/")}},
    {"ParkingCrew", PARKED, {200}, {SCRIPT("parkingcrew.net/")}},
    {"Bodis", PARKED, {200}, {SCRIPT("bodis.com/")}},
    {"GoDaddy", PARKED, {200}, {SCRIPT("img1.wsimg.com/parking-lander")}},
    {"HugeDomains", PARKED, {0}, {AWAY("hugedomains.com/domain_profile.cfm")}},
    {"Afternic", PARKED, {0}, {AWAY("afternic.com/forsale/")}},
    {"Dan.com", PARKED, {0}, {AWAY("dan.com/buy-domain")}},
};
/* clang-format on */

const size_t cw_walls_count = sizeof cw_walls_rows / sizeof *cw_walls_rows;

const cw_walls_detour cw_walls_detours[] = {
    {CRAWL_VERDICT_LOGIN,
     {"login", "log-in", "log_in", "logon", "signin", "sign-in", "sign_in", "auth", "oauth2", "authorize", "saml",
      "saml2", "sso", "cas", "account", "wp-login", "special:userlogin", "special%3auserlogin"},
     {"login", "accounts", "sso", "auth"}},
    {CRAWL_VERDICT_CONSENT,
     {"consent", "privacy-gate", "cookie-consent", "age-gate", "agegate", "age-check", "age-verification"},
     {"consent", "guce"}},
};
const size_t cw_walls_detour_count = sizeof cw_walls_detours / sizeof *cw_walls_detours;

const char *const cw_walls_returns[] = {
    "next",           "return",       "returnurl",   "return_url",   "returnto",    "return_to",   "continue",
    "goto",           "redirect",     "redirect_to", "redirect_uri", "redirecturl", "redirecturi", "redirect_url",
    "back",           "back_url",     "backurl",     "came_from",    "destination", "dest",        "target",
    "service",        "referer",      "url",         "callback",     "callbackurl", "from",        "fromuri",
    "os_destination", "redirectto",   "relaystate",  "returl",       "return-to",   "returnpath",  "samlrequest",
    "starturl",       "_target_path",
};
const size_t cw_walls_return_count = sizeof cw_walls_returns / sizeof *cw_walls_returns;
