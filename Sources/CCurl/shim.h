#ifndef CCurl_SHIM_H
#define CCurl_SHIM_H
// libcurl as a table of functions found at run time. Linking it would load some thirty libraries into every command, most of which
// never speak HTTP: 3 ms at each start. The types come from the real header, so that the table cannot differ from it.
#include <curl/curl.h>
#include <dlfcn.h>
#include <stdint.h>

typedef struct DeckCurl {
    __typeof__(curl_global_init) *global_init;
    __typeof__(curl_easy_init) *easy_init;
    __typeof__(curl_easy_cleanup) *easy_cleanup;
    __typeof__(curl_easy_pause) *easy_pause;
    __typeof__(curl_easy_strerror) *easy_strerror;
    __typeof__(curl_multi_init) *multi_init;
    __typeof__(curl_multi_cleanup) *multi_cleanup;
    __typeof__(curl_multi_add_handle) *multi_add;
    __typeof__(curl_multi_remove_handle) *multi_remove;
    __typeof__(curl_multi_socket_action) *multi_socket_action;
    __typeof__(curl_multi_info_read) *multi_info_read;
    __typeof__(curl_slist_append) *slist_append;
    __typeof__(curl_slist_free_all) *slist_free_all;
    __typeof__(curl_url) *url;
    __typeof__(curl_url_set) *url_set;
    __typeof__(curl_url_get) *url_get;
    __typeof__(curl_url_cleanup) *url_cleanup;
    __typeof__(curl_free) *free_text;
    // Of variable arguments, which Swift cannot call; see the functions below.
    void *easy_setopt, *easy_getinfo, *multi_setopt;
} DeckCurl;

// Each member and the symbol it is filled from.
#define DECK_CURL_FUNCTIONS(F)                 \
    F(global_init, curl_global_init)           \
    F(easy_init, curl_easy_init)               \
    F(easy_cleanup, curl_easy_cleanup)         \
    F(easy_pause, curl_easy_pause)             \
    F(easy_strerror, curl_easy_strerror)       \
    F(multi_init, curl_multi_init)             \
    F(multi_cleanup, curl_multi_cleanup)       \
    F(multi_add, curl_multi_add_handle)        \
    F(multi_remove, curl_multi_remove_handle)  \
    F(multi_socket_action, curl_multi_socket_action) \
    F(multi_info_read, curl_multi_info_read)   \
    F(slist_append, curl_slist_append)         \
    F(slist_free_all, curl_slist_free_all)     \
    F(url, curl_url)                           \
    F(url_set, curl_url_set)                   \
    F(url_get, curl_url_get)                   \
    F(url_cleanup, curl_url_cleanup)           \
    F(free_text, curl_free)                    \
    F(easy_setopt, curl_easy_setopt)           \
    F(easy_getinfo, curl_easy_getinfo)         \
    F(multi_setopt, curl_multi_setopt)

/// Fills the table from a library such as "libcurl.so.4"; 0 when the library or one of the functions is missing. It is never unloaded.
static inline int deck_curl_load(DeckCurl *table, const char *library) {
    void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!handle) return 0;
#define DECK_CURL_FIND(member, symbol) \
    if (!(*(void **)&table->member = dlsym(handle, #symbol))) return 0;
    DECK_CURL_FUNCTIONS(DECK_CURL_FIND)
#undef DECK_CURL_FIND
    return 1;
}

typedef CURLcode (*deck_curl_easy_setopt)(CURL *, CURLoption, ...);
typedef CURLMcode (*deck_curl_multi_setopt)(CURLM *, CURLMoption, ...);
typedef CURLcode (*deck_curl_easy_getinfo)(CURL *, CURLINFO, ...);

static inline int deck_curl_set_long(const DeckCurl *curl, CURL *easy, CURLoption option, long value) {
    return ((deck_curl_easy_setopt)curl->easy_setopt)(easy, option, value) == CURLE_OK;
}
static inline int deck_curl_set_size(const DeckCurl *curl, CURL *easy, CURLoption option, int64_t value) {
    return ((deck_curl_easy_setopt)curl->easy_setopt)(easy, option, (curl_off_t)value) == CURLE_OK;
}
/// curl copies texts; for CURLOPT_POSTFIELDS and lists it keeps the pointer.
static inline int deck_curl_set_pointer(const DeckCurl *curl, CURL *easy, CURLoption option, const void *value) {
    return ((deck_curl_easy_setopt)curl->easy_setopt)(easy, option, value) == CURLE_OK;
}
static inline int deck_curl_set_text(const DeckCurl *curl, CURL *easy, CURLoption option, const char *value) {
    return ((deck_curl_easy_setopt)curl->easy_setopt)(easy, option, value) == CURLE_OK;
}

/// What receives the answer: each gets bytes, `size * count` of them, and returns how many it took.
typedef size_t (*deck_curl_receiver)(char *bytes, size_t size, size_t count, void *context);

static inline int deck_curl_set_receivers(const DeckCurl *curl, CURL *easy, deck_curl_receiver head, deck_curl_receiver body, void *context) {
    deck_curl_easy_setopt set = (deck_curl_easy_setopt)curl->easy_setopt;
    return set(easy, CURLOPT_HEADERFUNCTION, head) == CURLE_OK && set(easy, CURLOPT_HEADERDATA, context) == CURLE_OK
        && set(easy, CURLOPT_WRITEFUNCTION, body) == CURLE_OK && set(easy, CURLOPT_WRITEDATA, context) == CURLE_OK
        && set(easy, CURLOPT_PRIVATE, context) == CURLE_OK;
}

/// `ready` is called when there is a connection and the request is about to be sent; it returns 0 to go on.
static inline int deck_curl_set_ready(const DeckCurl *curl, CURL *easy, curl_prereq_callback ready, void *context) {
    deck_curl_easy_setopt set = (deck_curl_easy_setopt)curl->easy_setopt;
    return set(easy, CURLOPT_PREREQFUNCTION, ready) == CURLE_OK && set(easy, CURLOPT_PREREQDATA, context) == CURLE_OK;
}

/// What a proxy answered to the request for a tunnel; 0 when none was asked for.
static inline long deck_curl_tunnel_status(const DeckCurl *curl, CURL *easy) {
    long value = 0;
    ((deck_curl_easy_getinfo)curl->easy_getinfo)(easy, CURLINFO_HTTP_CONNECTCODE, &value);
    return value;
}

static inline int deck_curl_set_multi_long(const DeckCurl *curl, CURLM *multi, CURLMoption option, long value) {
    return ((deck_curl_multi_setopt)curl->multi_setopt)(multi, option, value) == CURLM_OK;
}
static inline int deck_curl_set_multi_callbacks(const DeckCurl *curl, CURLM *multi, curl_socket_callback socket,
                                                curl_multi_timer_callback timer, void *context) {
    deck_curl_multi_setopt set = (deck_curl_multi_setopt)curl->multi_setopt;
    return set(multi, CURLMOPT_SOCKETFUNCTION, socket) == CURLM_OK && set(multi, CURLMOPT_SOCKETDATA, context) == CURLM_OK
        && set(multi, CURLMOPT_TIMERFUNCTION, timer) == CURLM_OK && set(multi, CURLMOPT_TIMERDATA, context) == CURLM_OK;
}

/// The context of the next transfer that has ended, and how; null when there is none.
static inline void *deck_curl_next_ended(const DeckCurl *curl, CURLM *multi, CURLcode *result) {
    int left;
    for (CURLMsg *message; (message = curl->multi_info_read(multi, &left));) {
        void *context = 0;
        if (message->msg != CURLMSG_DONE) continue;
        *result = message->data.result;
        ((deck_curl_easy_getinfo)curl->easy_getinfo)(message->easy_handle, CURLINFO_PRIVATE, &context);
        if (context) return context;
    }
    return 0;
}

/// How many bytes of the request's body have been sent.
static inline int64_t deck_curl_uploaded(const DeckCurl *curl, CURL *easy) {
    curl_off_t value = 0;
    ((deck_curl_easy_getinfo)curl->easy_getinfo)(easy, CURLINFO_SIZE_UPLOAD_T, &value);
    return value;
}

// Macros with casts or shifts.
static inline long deck_curl_global_default(void) { return CURL_GLOBAL_DEFAULT; }
static inline size_t deck_curl_pause_receiving(void) { return CURL_WRITEFUNC_PAUSE; }
static inline int deck_curl_resume(void) { return CURLPAUSE_CONT; }
static inline long deck_curl_tls_1_2(void) { return CURL_SSLVERSION_TLSv1_2; }
static inline unsigned deck_curl_strict_url(void) { return CURLU_DISALLOW_USER; }
static inline curl_socket_t deck_curl_timeout_socket(void) { return CURL_SOCKET_TIMEOUT; }
#endif
