/* Published signatures of others, verified and reproduced: those of the drafts of Web Bot Auth (P), the same by RSA
 * (R), and those that a verifier must refuse (NV), each with the change that makes it valid, so that it is refused for
 * its own reason. */
#include "base/structured.h"
#include "fetch/identity/public_key.h"
#include "fetch/identity/signature_base.h"

#include <criterion/criterion.h>
#include <stdlib.h>

/* The keys of RFC 9421, B.1.4 and B.1.2. */
#define T_KEY "{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"x\":\"JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs\""
static const char private_key[] = T_KEY ",\"d\":\"n4Ni-HpISpVObnQMW0wOhCKROaIKqKtW_2ZYb2p9KcU\"}";
static const char both_keys[] =
    "{\"keys\":[" T_KEY "},{\"kty\":\"RSA\",\"e\":\"AQAB\",\"n\":\""
    "r4tmm3r20Wd_PbqvP1s2-QEtvpuRaV8Yq40gjUR8y2Rjxa6dpG2GXHbPfvMs8ct-Lh1GH45x28Rw3Ry53mm-oAXjyQ"
    "86OnDkZ5N8lYbggD4O3w6M6pAvLkhk95AndTrifbIFPNU8PPMO7OyrFAHqgDsznjPFmTOtCEcN2Z1FpWgchwuYLPL-"
    "Wokqltd11nqqzi-bJ9cvSKADYdUAAN5WUtzdpiy6LbTgSxP7ociU4Tn0g5I6aDZJ7A8Lzo0KSyZYoA485mqcO0GVAd"
    "Vw9lq4aOT9v6d-nb4bnNkQVklLQ3fVAvJm-xdDOp9LCNCN48V2pnDOkFV6-U9nV5oyc6XI2w"
    "\"}]}";

typedef struct vector {
    const char *name, *method, *url, *body;
    int64_t now_s;
    crawl_signature_verdict verdict;
    const char *headers;
} vector;

static const vector vectors[] = {
    {"P1", "GET", "https://example.com/path/to/resource", "", 1735689660, CRAWL_VERIFIED,
     "Signature-Agent: agent2=\"https://signature-agent.test\"\n"
     "Signature-Input: sig2=(\"@authority\" \"signature-agent\";key=\"agent2\");created=1735689600;k"
     "eyid=\"poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U\";alg=\"ed25519\";expires=4889289600;nonce="
     "\"n9p433xm+NJ3ph3upfBIGmsuwHw387YV7Q/F+6BSpGCVjYCqQw6rznNA8PVVLySrAWsv0hQtFioQb6E1YsauiA==\""
     ";tag=\"web-bot-auth\"\n"
     "Signature: sig2=:RdNFx5Bj6au3YgAMQL/RzmUlZE8QZLIaXGRpw985hWnwPfMxT228NMk6ehRS1PSl4e8PhbNZA"
     "CSanGdhEwYCCg==:\n"},
    {"P2", "GET", "https://example.com/path/to/resource", "", 1735689660, CRAWL_VERIFIED,
     "Signature-Agent: \"https://signature-agent.test\"\n"
     "Signature-Input: sig2=(\"@authority\" \"signature-agent\");created=1735689600;keyid=\"poqkLGiy"
     "mh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U\";alg=\"ed25519\";expires=1735693200;nonce=\"e8N7S2MFd/qrd"
     "6T2R3tdfAuuANngKI7LFtKYI/vowzk4lAZYadIX6wW25MwG7DCT9RUKAJ0qVkU0mEeLElW1qg==\";tag=\"web-bot-"
     "auth\"\n"
     "Signature: sig2=:jdq0SqOwHdyHr9+r5jw3iYZH6aNGKijYp/EstF4RQTQdi5N5YYKrD+mCT1HA1nZDsi6nJKuHx"
     "Ui/5Syp3rLWBA==:\n"},
    {"P3", "GET", "https://example.com/path/to/resource", "", 1735689660, CRAWL_UNVERIFIED,
     "Signature-Input: sig1=(\"@authority\");created=1735689600;keyid=\"poqkLGiymh_W0uP6PZFw-dvez3Q"
     "JT5SolqXBCW38r0U\";alg=\"ed25519\";expires=1735693200;nonce=\"mYotfW3CUjI68sbGw6oKd7kyXqPjZEtU"
     "8xFPGWFrqOAf5qC6MDe3pys3SWWCudB0MvwslHy32WXUpkR7u0lt/w==\";tag=\"web-bot-auth\"\n"
     "Signature: sig1=:+NA/cssf4Y2bQTMTkyvTGRCaVzp9quyUevdwwMtMOWhhOOZ2T1subBj0BtvdnrpDEuwSAbiTe"
     "ElXDzHL3WWKCw==:\n"},
    {"P4", "GET", "https://example.com/path/to/resource", "", 1735689660, CRAWL_UNVERIFIED,
     "Signature-Input: sig1=(\"@authority\");created=1735689600;keyid=\"poqkLGiymh_W0uP6PZFw-dvez3Q"
     "JT5SolqXBCW38r0U\";alg=\"ed25519\";expires=4889289600;nonce=\"zIW8+cdmA3vdYagbxojpONwa/l0EKJ/O"
     "3/wD486VvsQjO/RxPaSt6ZxvQaMcQzNnqKN/mQ6hpGiFro2L2qkz5A==\";tag=\"web-bot-auth\"\n"
     "Signature: sig1=:QKN4fTdIYfh82fvoZCQiQA1weuozfCS/Led2zTMbewMMqH8PI2Wsy/5c4ao6B6D09nraNQdBN"
     "OADg8aM1MqfCg==:\n"},
    {"R1", "GET", "https://example.com/path/to/resource", "", 1735689660, CRAWL_VERIFIED,
     "Signature-Agent: agent2=\"https://signature-agent.test\"\n"
     "Signature-Input: sig2=(\"@authority\" \"signature-agent\";key=\"agent2\");created=1735689600;k"
     "eyid=\"oD0HwocPBSfpNy5W3bpJeyFGY_IQ_YpqxSjQ3Yd-CLA\";alg=\"rsa-pss-sha512\";expires=4889289600"
     ";nonce=\"wcfPQPh7SzkvrIVvhD00vNk9PkxJNY2NVbYl2PVBB4zmUoluSwE7W6bPtF60QA3k8g06FU7PPCD+J58Yof"
     "Y1zg==\";tag=\"web-bot-auth\"\n"
     "Signature: sig2=:gHzpLNeHaHIO19NaJH9YMW5dcVSi2s0wOMBr6p18vcofS106sfC4KBIS0/szPlBBd1vIcyQ88"
     "B6CTEWIhRAiVrb9zfX0mx1aG12CSGWcYkSirHeyTxhbuJvXd27ed6skWoy4PjXItq38936ivUQjfdIwXh1aX6HxkAC"
     "3vRnEdSNfntkLWeEuIQ5BLIOBGE39fSwg27Qjq6OVWYas/9/aFUr3HA34MXWYdp+//cvlEKDp3kRoLOw9ro0AOr6sr"
     "HrTeEtxon2afcws1aZVSlPdd2fZSEIGmw9HAHLDCEkFTERu1gH2k/zIEqgy7CAYXI9E5slog0cLg/Vc6+f8gih33g==:\n"},
    {"R2", "GET", "https://example.com/path/to/resource", "", 1735689660, CRAWL_VERIFIED,
     "Signature-Agent: \"https://signature-agent.test\"\n"
     "Signature-Input: sig2=(\"@authority\" \"signature-agent\");created=1735689600;keyid=\"oD0HwocP"
     "BSfpNy5W3bpJeyFGY_IQ_YpqxSjQ3Yd-CLA\";alg=\"rsa-pss-sha512\";expires=1735693200;nonce=\"XSHtZV"
     "CThSIAksXsH9WBs6AtxtXC0eQGiIcUGSoJstFs8lAWakjhrfwzLhyjtme5iXMZvmFWqDEs6cT3Jf+BbQ==\";tag=\"w"
     "eb-bot-auth\"\n"
     "Signature: sig2=:I1QWNzGXdP1a4dSvOHLCVOOanEYHDk+ZsVxM9MLX/p4ko69ghKwR5EOtAD96g7g4GWP7lmpM/"
     "jFAf9q8EFRDTPLjUXySwMv4YPgabv2LQihTJG2y8a2m6IGltyruwQNiqSJVUuRaG9+b17CGmAMFZh30X6GXLdQJrCA"
     "RpeTqPwp2DC+a8haDE/VE5EruqzjA5/2mKwvrkzkSqeW5tOVtFwWRRHIOidquf/8Je6kM9mhgkg4arudLA5SL4wyyY"
     "E1jURIgcOl8agrfdJ5Def23DIRtiOLRa8jT9cpTLFAuFHN+mrZA/LH9h0gSIg1cPb+0cMASee5uku1KjWcFer7jWA==:\n"},
    {"NV-01", "GET", "https://example.com/", "", 1735689660, CRAWL_INVALID,
     "Signature-Agent: sig1=\"https://signature-agent.test\"\n"
     "Signature-Input: sig1=(\"signature-agent\";key=\"sig1\");created=1735689600;keyid=\"poqkLGiymh"
     "_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U\";alg=\"ed25519\";expires=4889289600;tag=\"web-bot-auth\"\n"
     "Signature: sig1=:OfqFF7JEZnSAkthXM22HF3Ghlrslj4CHN1ZO9HMaOlf4rCCCSHcaQT82AtaWrXV0avoXjS4A7"
     "LJUMkdamFXLCg==:\n"},
    {"NV-03", "GET", "https://example.com/", "", 1735689660, CRAWL_INVALID,
     "Signature-Agent: sig1=\"https://signature-agent.test\"\n"
     "Signature-Input: sig1=(\"@authority\" \"signature-agent\";key=\"sig1\");created=1735689600;key"
     "id=\"poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U\";alg=\"ed25519\";tag=\"web-bot-auth\"\n"
     "Signature: sig1=:vwMiAiACovfQ9Cnj5b145eU183Ce2YGO02p+H5n/86NQiOeaZPLmiA1Cry2TUqmj+uAqzw5pH"
     "vLu33Q4dRS1CQ==:\n"},
    {"NV-04", "GET", "https://example.com/", "", 1735696800, CRAWL_INVALID,
     "Signature-Agent: sig1=\"https://signature-agent.test\"\n"
     "Signature-Input: sig1=(\"@authority\" \"signature-agent\";key=\"sig1\");created=1735689600;key"
     "id=\"poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U\";alg=\"ed25519\";expires=1735693200;tag=\"we"
     "b-bot-auth\"\n"
     "Signature: sig1=:PGCXcZbx5FaCr8JzBK0Rcs/h+eV0s+o6JhsQpiWfoBZnvREvjbmZexFna9jGiNfvbXfZ4Q/nO"
     "7wDc9RJzF8SDw==:\n"},
    {"NV-04 in time", "GET", "https://example.com/", "", 1735689660, CRAWL_VERIFIED,
     "Signature-Agent: sig1=\"https://signature-agent.test\"\n"
     "Signature-Input: sig1=(\"@authority\" \"signature-agent\";key=\"sig1\");created=1735689600;key"
     "id=\"poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U\";alg=\"ed25519\";expires=1735693200;tag=\"we"
     "b-bot-auth\"\n"
     "Signature: sig1=:PGCXcZbx5FaCr8JzBK0Rcs/h+eV0s+o6JhsQpiWfoBZnvREvjbmZexFna9jGiNfvbXfZ4Q/nO"
     "7wDc9RJzF8SDw==:\n"},
    {"NV-05", "GET", "https://example.com/", "", 1735686000, CRAWL_INVALID,
     "Signature-Agent: sig1=\"https://signature-agent.test\"\n"
     "Signature-Input: sig1=(\"@authority\" \"signature-agent\";key=\"sig1\");created=1735689600;key"
     "id=\"poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U\";alg=\"ed25519\";expires=4889289600;tag=\"we"
     "b-bot-auth\"\n"
     "Signature: sig1=:JE1yD+mpEKRsD1jC6gpbZXXFMoupdDH6EEwU1+QKgwDGXftEABdV3XbSANQzNQxU7UtgavuSg"
     "unABEfoHBxtDQ==:\n"},
    {"NV-05 in time", "GET", "https://example.com/", "", 1735689660, CRAWL_VERIFIED,
     "Signature-Agent: sig1=\"https://signature-agent.test\"\n"
     "Signature-Input: sig1=(\"@authority\" \"signature-agent\";key=\"sig1\");created=1735689600;key"
     "id=\"poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U\";alg=\"ed25519\";expires=4889289600;tag=\"we"
     "b-bot-auth\"\n"
     "Signature: sig1=:JE1yD+mpEKRsD1jC6gpbZXXFMoupdDH6EEwU1+QKgwDGXftEABdV3XbSANQzNQxU7UtgavuSg"
     "unABEfoHBxtDQ==:\n"},
    {"NV-06", "GET", "https://example.com/", "", 1735689660, CRAWL_INVALID,
     "Signature-Agent: sig1=\"https://signature-agent.test\"\n"
     "Signature-Input: sig1=(\"@authority\" \"signature-agent\";key=\"sig1\");created=1735689600;key"
     "id=\"poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U\";alg=\"ed25519\";expires=4889289600;tag=\"we"
     "b-bot-auth\"\n"
     "Signature: sig1=:tlN1YC7fkMH5W7SBtB/uwrm65jP8d1la9pAPxphRsBrR+dAYAEPF+BVvJpX8oIf7DJZrsAaq6"
     "5Iil6YdKCuGDg==:\n"},
    {"NV-06 where it was signed for", "GET", "https://other.example/", "", 1735689660, CRAWL_VERIFIED,
     "Signature-Agent: sig1=\"https://signature-agent.test\"\n"
     "Signature-Input: sig1=(\"@authority\" \"signature-agent\";key=\"sig1\");created=1735689600;key"
     "id=\"poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U\";alg=\"ed25519\";expires=4889289600;tag=\"we"
     "b-bot-auth\"\n"
     "Signature: sig1=:tlN1YC7fkMH5W7SBtB/uwrm65jP8d1la9pAPxphRsBrR+dAYAEPF+BVvJpX8oIf7DJZrsAaq6"
     "5Iil6YdKCuGDg==:\n"},
    {"NV-07", "GET", "https://example.com/", "", 1735689660, CRAWL_INVALID,
     "Signature-Agent: sig1=\"https://signature-agent.test\"\n"
     "Signature-Input: sig1=(\"@authority\" \"@path\" \"signature-agent\";key=\"sig1\");created=1735"
     "689600;keyid=\"poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U\";alg=\"ed25519\";expires=488928960"
     "0;tag=\"web-bot-auth\"\n"
     "Signature: sig1=:gVyV1O4BnincHcl/dIHWUaGagmEldaC7JN4KtkCsRtbOGwxrRJTdm0HHyKBcOYW3uA4R7Fjcd"
     "aERQBbDJSzRAg==:\n"},
    {"NV-08", "POST", "https://example.com/", "{\"hello\":\"world\"}", 1735689660, CRAWL_INVALID,
     "Signature-Agent: sig1=\"https://signature-agent.test\"\n"
     "Signature-Input: sig1=(\"@authority\" \"content-digest\" \"signature-agent\";key=\"sig1\");cre"
     "ated=1735689600;keyid=\"poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U\";alg=\"ed25519\";expires="
     "4889289600;tag=\"web-bot-auth\"\n"
     "Signature: sig1=:6xuRq2Nf1ZbzTCosEy2cFaQ6Nx/NzDjCzlbEN4uqnEhkp3iNLr8xrTFc+vdPWtqTq+FAVHzPo"
     "GPDbL7m6y9eCw==:\n"
     "Content-Digest: sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:\n"},
    {"NV-08 with the body of the digest", "POST", "https://example.com/", "", 1735689660, CRAWL_VERIFIED,
     "Signature-Agent: sig1=\"https://signature-agent.test\"\n"
     "Signature-Input: sig1=(\"@authority\" \"content-digest\" \"signature-agent\";key=\"sig1\");cre"
     "ated=1735689600;keyid=\"poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U\";alg=\"ed25519\";expires="
     "4889289600;tag=\"web-bot-auth\"\n"
     "Signature: sig1=:6xuRq2Nf1ZbzTCosEy2cFaQ6Nx/NzDjCzlbEN4uqnEhkp3iNLr8xrTFc+vdPWtqTq+FAVHzPo"
     "GPDbL7m6y9eCw==:\n"
     "Content-Digest: sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:\n"},
    {"NV-09", "POST", "https://example.com/", "{\"hello\":\"world\"}", 1735689660, CRAWL_INVALID,
     "Signature-Agent: sig1=\"https://signature-agent.test\"\n"
     "Signature-Input: sig1=(\"@authority\" \"content-digest\" \"signature-agent\";key=\"sig1\");cre"
     "ated=1735689600;keyid=\"poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U\";alg=\"ed25519\";expires="
     "4889289600;tag=\"web-bot-auth\"\n"
     "Signature: sig1=:6xuRq2Nf1ZbzTCosEy2cFaQ6Nx/NzDjCzlbEN4uqnEhkp3iNLr8xrTFc+vdPWtqTq+FAVHzPo"
     "GPDbL7m6y9eCw==:\n"},
    {"NV-10", "GET", "https://example.com/", "", 1735689660, CRAWL_INVALID,
     "Signature-Agent: sig1=\"https://signature-agent.test\"\n"
     "Signature-Input: sig1=(\"@authority\" \"signature-agent\";key=\"sig1\";created=1735689600;keyi"
     "d=\"poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U\";alg=\"ed25519\";expires=4889289600;tag=\"web"
     "-bot-auth\"\n"
     "Signature: sig1=:JE1yD+mpEKRsD1jC6gpbZXXFMoupdDH6EEwU1+QKgwDGXftEABdV3XbSANQzNQxU7UtgavuSg"
     "unABEfoHBxtDQ==:\n"},
    {"NV-11", "GET", "https://example.com/", "", 1735689660, CRAWL_INVALID,
     "Signature-Agent: sig1=\"https://signature-agent.test\"\n"
     "Signature-Input: sig1=(\"@authority\" \"signature-agent\";key=\"sig1\");created=1735689600;key"
     "id=\"poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U\";alg=\"ed25519\";expires=4889289600;tag=\"we"
     "b-bot-auth\"\n"
     "Signature: sig9=:JE1yD+mpEKRsD1jC6gpbZXXFMoupdDH6EEwU1+QKgwDGXftEABdV3XbSANQzNQxU7UtgavuSg"
     "unABEfoHBxtDQ==:\n"},
    {"NV-12", "GET", "https://example.com/", "", 1735689660, CRAWL_UNVERIFIED,
     "Signature-Input: sig1=(\"@authority\");created=1735689600;keyid=\"poqkLGiymh_W0uP6PZFw-dvez3Q"
     "JT5SolqXBCW38r0U\";alg=\"ed25519\";expires=4889289600;tag=\"web-bot-auth\"\n"
     "Signature: sig1=:emtWW7ctXrq/Jxc/GrRNbHSTol22e5tabmwNFjtFnpl62D/XwZuJNpa4dUhOmI5Q3pYJNxMkA"
     "3bnLBUnm8xzBQ==:\n"},
    {"NV-13", "GET", "https://example.com/", "", 1735689660, CRAWL_INVALID,
     "Signature-Agent: first=\"https://signature-agent.test\", second=\"https://other-agent.test\"\n"
     "Signature-Input: sig1=(\"@authority\" \"signature-agent\");created=1735689600;keyid=\"poqkLGiy"
     "mh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U\";alg=\"ed25519\";expires=4889289600;tag=\"web-bot-auth\""
     "\n"
     "Signature: sig1=:+1vomCIkcZg+3SGgA/XX2FFlS13bVmSPQjBgCclNhatOKs08sckrIx723RIJ/gTAJPGvXfnP3"
     "O6W70q41C+BDg==:\n"},
    {"NV-14", "GET", "https://example.com/", "", 1735689660, CRAWL_INVALID,
     "Signature-Agent: other=\"https://signature-agent.test\"\n"
     "Signature-Input: sig1=(\"@authority\" \"signature-agent\";key=\"sig1\");created=1735689600;key"
     "id=\"poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U\";alg=\"ed25519\";expires=4889289600;tag=\"we"
     "b-bot-auth\"\n"
     "Signature: sig1=:JE1yD+mpEKRsD1jC6gpbZXXFMoupdDH6EEwU1+QKgwDGXftEABdV3XbSANQzNQxU7UtgavuSg"
     "unABEfoHBxtDQ==:\n"},
    {"NV-16", "GET", "https://example.com/", "", 1735689660, CRAWL_INVALID,
     "Signature-Agent: sig1=\"http://signature-agent.test\"\n"
     "Signature-Input: sig1=(\"@authority\" \"signature-agent\";key=\"sig1\");created=1735689600;key"
     "id=\"poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U\";alg=\"ed25519\";expires=4889289600;tag=\"we"
     "b-bot-auth\"\n"
     "Signature: sig1=:Mwv2BtF7JrgdsyTdpxNJzjc7BMWu0IvufR7FjzCJaYx1VZFDvSFvqnCyHQOBpH5HUmGfMmZHw"
     "mp2LAKsFt6cCA==:\n"},
    {"NV-17", "GET", "https://example.com/", "", 1735689660, CRAWL_VERIFIED,
     "Signature-Agent: sig1=\"https://signature-agent.test/keys\"\n"
     "Signature-Input: sig1=(\"@authority\" \"signature-agent\";key=\"sig1\");created=1735689600;key"
     "id=\"poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U\";alg=\"ed25519\";expires=4889289600;tag=\"we"
     "b-bot-auth\"\n"
     "Signature: sig1=:vIPkgnOG178b20lu4tMkGgyEPpsAOOFODichdLIrrNt0Y/KMQtoLxWrODh4srzzLySJtihrYg"
     "oP4bLWV+jweDw==:\n"},
    {"NV-18", "GET", "https://example.com/", "", 1735689660, CRAWL_INVALID,
     "Signature-Agent: sig1=\"https://signature-agent.test\n"
     "Signature-Input: sig1=(\"@authority\" \"signature-agent\";key=\"sig1\");created=1735689600;key"
     "id=\"poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U\";alg=\"ed25519\";expires=4889289600;tag=\"we"
     "b-bot-auth\"\n"
     "Signature: sig1=:JE1yD+mpEKRsD1jC6gpbZXXFMoupdDH6EEwU1+QKgwDGXftEABdV3XbSANQzNQxU7UtgavuSg"
     "unABEfoHBxtDQ==:\n"},
    {"NV-19", "GET", "https://example.com/", "", 1735689660, CRAWL_INVALID,
     "Signature-Agent: sig1=\"https://signature-agent.test\"\n"
     "Signature-Input: sig1=(\"@authority\" \"@authority\" \"signature-agent\";key=\"sig1\");created"
     "=1735689600;keyid=\"poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U\";alg=\"ed25519\";expires=4889"
     "289600;tag=\"web-bot-auth\"\n"
     "Signature: sig1=:pI8eHSuMEPbVLPtEQK368TDMssBWtvsVc6NCuQyp1T6oMnk/Pkpxc4yJhm/kzHLNwqelACukR"
     "NMMgh0/FqtFBA==:\n"},
    {"the key of another", "GET", "https://example.com/", "", 1735689660, CRAWL_UNVERIFIED,
     "Signature-Agent: sig1=\"https://signature-agent.test\"\n"
     "Signature-Input: sig1=(\"@authority\" \"signature-agent\";key=\"sig1\");created=1735689600;key"
     "id=\"1IG2tMH7J2wbJZnOf8LJzQitKf7LMvoAElsuDMVM54Y\";alg=\"ed25519\";expires=4889289600;tag=\"we"
     "b-bot-auth\"\n"
     "Signature: sig1=:JE1yD+mpEKRsD1jC6gpbZXXFMoupdDH6EEwU1+QKgwDGXftEABdV3XbSANQzNQxU7UtgavuSg"
     "unABEfoHBxtDQ==:\n"},
    {"two lines of another label before", "GET", "https://example.com/", "", 1735689660, CRAWL_VERIFIED,
     "Signature-Agent: sig1=\"https://signature-agent.test\"\n"
     "Signature-Input: proxy=(\"@authority\");created=1\n"
     "Signature: proxy=:AAAA:\n"
     "Signature-Input: sig1=(\"@authority\" \"signature-agent\";key=\"sig1\");created=1735689600;key"
     "id=\"poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U\";alg=\"ed25519\";expires=4889289600;tag=\"we"
     "b-bot-auth\"\n"
     "Signature: sig1=:JE1yD+mpEKRsD1jC6gpbZXXFMoupdDH6EEwU1+QKgwDGXftEABdV3XbSANQzNQxU7UtgavuSg"
     "unABEfoHBxtDQ==:\n"},
};

#define COUNT (sizeof vectors / sizeof *vectors)

/* Returns the vector as a message; headers has room for its lines. */
static crawl_message message_of(const vector *one, crawl_header headers[8])
{
    crawl_slice rest = crawl_slice_from(one->headers);
    crawl_message message = {.size = sizeof message,
                             .method = crawl_slice_from(one->method),
                             .url = crawl_slice_from(one->url),
                             .body = crawl_slice_from(one->body),
                             .headers = headers};
    while (rest.size) {
        crawl_slice line = cw_cut_line(&rest);
        headers[message.header_count].name = cw_cut(&line, ':');
        headers[message.header_count++].value = cw_trim(line);
    }
    return message;
}

Test(identity_vectors, are_judged_as_published)
{
    crawl_keys *keys;
    cr_assert_eq(crawl_keys_parse(crawl_slice_from(both_keys), &keys, NULL), CRAWL_OK);
    cr_assert_eq(crawl_keys_count(keys), 2);
    for (size_t i = 0; i < COUNT; i++) {
        crawl_header headers[8];
        crawl_message message = message_of(&vectors[i], headers);
        crawl_verification found;
        cr_assert_eq(crawl_verify(&message, keys, vectors[i].now_s, &found), CRAWL_OK);
        cr_expect_eq(found.verdict, vectors[i].verdict, "%s: %d, %s", vectors[i].name, found.verdict, found.why);
    }
    crawl_keys_free(keys);
}

/* Reads the components that a message covers, as a verifier does. */
static crawl_slice read_cover(crawl_slice input, cw_identity_cover *cover)
{
    cw_structured at, inside;
    cw_structured_item member, item;
    cw_structured_value key;
    cr_assert(cw_structured_open(input, CW_STRUCTURED_DICTIONARY, &at));
    cr_assert(cw_structured_next(&at, &member));
    for (inside = cw_structured_inside(&member.value); cw_structured_next(&inside, &item);) {
        cw_identity_component *one = &cover->items[cover->count++];
        one->name = item.value.text;
        if (cw_structured_find(item.parameters, "key", &key))
            one->key = key.text;
        one->of_request = cw_structured_find(item.parameters, "req", &key);
    }
    return cw_drop(input, cw_find_char(input, '=') + 1);
}

/* Signs the message as its Signature-Input says, and compares the bytes with its Signature. */
static void expect_same(const crawl_identity *identity, const crawl_message *message, const char *name)
{
    crawl_slice input = {0}, signature = {0};
    for (size_t i = 0; i < message->header_count; i++) {
        if (cw_is(message->headers[i].name, "Signature-Input"))
            input = message->headers[i].value;
        if (cw_is(message->headers[i].name, "Signature"))
            signature = message->headers[i].value;
    }
    cw_identity_cover cover = {0};
    const char *why = NULL;
    uint8_t bytes[CRAWL_IDENTITY_SIGNATURE_SIZE];
    crawl_buf base = {0}, made = {0};
    crawl_slice params = read_cover(input, &cover);
    cr_assert_eq(cw_identity_base(&cover, message, params, &base, &why), CRAWL_OK, "%s: %s", name, why);
    cr_assert_eq(cw_identity_sign_bytes(identity, crawl_buf_slice(&base), bytes), CRAWL_OK);
    cr_assert_eq(crawl_buf_append_char(&made, ':'), CRAWL_OK);
    cr_assert_eq(cw_base64_append(crawl_slice_of(bytes, sizeof bytes), &made), CRAWL_OK);
    cr_assert_eq(crawl_buf_append_char(&made, ':'), CRAWL_OK);
    crawl_slice wanted = cw_drop(signature, cw_find_char(signature, '=') + 1);
    cr_expect(crawl_slice_equal(wanted, crawl_buf_slice(&made)), "%s\n%s\n%s", name, base.data, made.data);
    crawl_buf_free(&base);
    crawl_buf_free(&made);
}

static crawl_identity *key_of_standards(void)
{
    crawl_identity *identity;
    cr_assert_eq(crawl_identity_parse(crawl_slice_from(private_key), &identity, NULL), CRAWL_OK);
    return identity;
}

Test(identity_vectors, are_made_byte_for_byte)
{
    crawl_identity *identity = key_of_standards();
    unsigned made = 0;
    for (size_t i = 0; i < COUNT; i++) {
        crawl_header headers[8];
        crawl_message message = message_of(&vectors[i], headers);
        bool by_t = strstr(vectors[i].headers, "poqkLG") && !strstr(vectors[i].headers, "proxy");
        if (!by_t || vectors[i].verdict == CRAWL_INVALID)
            continue;
        expect_same(identity, &message, vectors[i].name);
        made++;
    }
    cr_expect_eq(made, 10, "%u", made);
    crawl_identity_free(identity);
}

/* P6: RFC 9421, B.2.6, whose key has a name and no thumbprint. */
Test(identity_vectors, that_of_the_rfc_is_made)
{
    static const vector rfc = {
        "P6",
        "POST",
        "https://example.com/foo",
        "",
        0,
        CRAWL_VERIFIED,
        "Date: Tue, 20 Apr 2021 02:07:55 GMT\nContent-Type: application/json\nContent-Length: 18\n"
        "Signature-Input: sig-b26=(\"date\" \"@method\" \"@path\" \"@authority\" \"content-type\" "
        "\"content-length\");created=1618884473;keyid=\"test-key-ed25519\"\n"
        "Signature: sig-b26=:wqcAqbmYJ2ji2glfAMaRy4gruYYnx2nEFN2HN6jrnDnQCK1u02Gb04v9EDgwUPiu4A0w6vuQv5lIp5WPpBKRCw==:"};
    crawl_header headers[8];
    crawl_identity *identity = key_of_standards();
    crawl_message message = message_of(&rfc, headers);
    expect_same(identity, &message, rfc.name);
    crawl_identity_free(identity);
}

/* P5: the response of a directory, with a signature that covers a part of the request. */
static const vector directory = {
    "P5",
    "GET",
    "https://signature-agent.test/.well-known/http-message-signatures-directory",
    "{\"keys\":[{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"kid\":\"poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U\",\"x\":"
    "\"JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs\",\"use\":\"sig\"}]}",
    1735689660,
    CRAWL_VERIFIED,
    "Content-Digest: sha-256=:CADMT2aBdV/rqQr/NIru64ERQkCobVvllA4V0fLFDu0=:\n"
    "Signature-Input: binding=(\"@authority\";req \"content-digest\");created=1735689600;expires=4889289600;keyid="
    "\"poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U\";tag=\"http-message-signatures-directory\"\n"
    "Signature: binding=:l6P8R67tm3kujAxbHWio7ll01qrEZ0dKD/WWlGhNYEmTnFZM8Wt0VQ9zqGfvo7T/UMkBxsigzChM1Gpz7gOVBg==:"};

Test(identity_vectors, the_answer_of_a_directory_is_made_and_verified)
{
    static const struct {
        const char *url, *body;
        int64_t now_s;
        crawl_signature_verdict verdict;
    } rows[] = {
        {NULL, NULL, 1735689660, CRAWL_VERIFIED},
        {NULL, NULL, 1735689599, CRAWL_INVALID},
        {NULL, NULL, 4889289601, CRAWL_INVALID},
        {"https://other.test/.well-known/http-message-signatures-directory", NULL, 1735689660, CRAWL_INVALID},
        {NULL, "{}", 1735689660, CRAWL_INVALID},
    };
    crawl_header headers[8];
    crawl_keys *keys;
    crawl_verification found;
    crawl_identity *identity = key_of_standards();
    crawl_message answer = message_of(&directory, headers);
    answer.is_answer = true;
    cr_assert_eq(answer.body.size, 154);
    expect_same(identity, &answer, directory.name);
    cr_assert_eq(crawl_keys_parse(answer.body, &keys, NULL), CRAWL_OK);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        crawl_message other = answer;
        other.url = rows[i].url ? crawl_slice_from(rows[i].url) : answer.url;
        other.body = rows[i].body ? crawl_slice_from(rows[i].body) : answer.body;
        cr_assert_eq(crawl_directory_verify(&other, keys, 0, rows[i].now_s, &found), CRAWL_OK);
        cr_expect_eq(found.verdict, rows[i].verdict, "%zu: %s", i, found.why);
    }
    crawl_keys_free(keys);
    crawl_identity_free(identity);
}
