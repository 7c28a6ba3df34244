#ifndef COpenSSL_SHIM_H
#define COpenSSL_SHIM_H
#include <openssl/ssl.h>
#include <openssl/err.h>
#include <openssl/x509v3.h>
#include <openssl/evp.h>
#include <openssl/rand.h>
#include <openssl/pem.h>
#include <openssl/sha.h>
#include <openssl/crypto.h>

/* Swift does not import macros with arguments, casts or bit shifts, nor variadic functions: each shim below is one of those. */

static inline uint64_t deck_SSL_OP_NO_TICKET(void) { return SSL_OP_NO_TICKET; }
static inline uint64_t deck_SSL_OP_NO_RENEGOTIATION(void) { return SSL_OP_NO_RENEGOTIATION; }
static inline uint64_t deck_SSL_OP_NO_COMPRESSION(void) { return SSL_OP_NO_COMPRESSION; }
static inline uint64_t deck_SSL_OP_CIPHER_SERVER_PREFERENCE(void) { return SSL_OP_CIPHER_SERVER_PREFERENCE; }
static inline uint64_t deck_SSL_OP_PRIORITIZE_CHACHA(void) { return SSL_OP_PRIORITIZE_CHACHA; }

static inline int deck_SSL_CTX_set_min_proto_version(SSL_CTX *ctx, int version) { return (int)SSL_CTX_set_min_proto_version(ctx, version); }
static inline int deck_SSL_CTX_set_max_proto_version(SSL_CTX *ctx, int version) { return (int)SSL_CTX_set_max_proto_version(ctx, version); }
static inline void deck_SSL_CTX_release_buffers(SSL_CTX *ctx) { (void)SSL_CTX_set_mode(ctx, SSL_MODE_RELEASE_BUFFERS); }
static inline void deck_SSL_CTX_disable_session_cache(SSL_CTX *ctx) { (void)SSL_CTX_set_session_cache_mode(ctx, SSL_SESS_CACHE_OFF); }
static inline int deck_SSL_set_tlsext_host_name(SSL *ssl, const char *name) { return (int)SSL_set_tlsext_host_name(ssl, name); }

static inline void deck_BIO_set_retry_read(BIO *bio) { BIO_set_retry_read(bio); }
static inline void deck_BIO_clear_retry_flags(BIO *bio) { BIO_clear_retry_flags(bio); }
static inline long deck_BIO_get_mem_data(BIO *bio, char **data) { return BIO_get_mem_data(bio, data); }

static inline EVP_PKEY *deck_generate_p256_key(void) { return EVP_EC_gen("P-256"); }
static inline int deck_MBSTRING_UTF8(void) { return MBSTRING_UTF8; }
#endif
