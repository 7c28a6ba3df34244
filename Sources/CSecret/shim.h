#ifndef CSecret_SHIM_H
#define CSecret_SHIM_H
// The part of libsecret's binary interface that is used, as a table of functions found at run time. Linking the library would load
// GLib, GObject and GIO into every command, most of which never need a secret, and would keep the program from starting where it is
// not installed. The interface has not changed since libsecret 0.18; a test compares it with the real headers.
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>

typedef struct DeckGList {
    void *data;
    struct DeckGList *next, *previous;
} DeckGList;

typedef struct DeckGError {
    uint32_t domain;
    int code;
    char *message;
} DeckGError;

typedef struct DeckSecretAttribute {
    const char *name;
    int type;
} DeckSecretAttribute;

typedef struct DeckSecretSchema {
    const char *name;
    int flags;
    DeckSecretAttribute attributes[32];
    int reserved;
    void *more[7];
} DeckSecretSchema;

typedef struct DeckSecretFunctions {
    void *(*cancellable_new)(void);
    void (*cancellable_cancel)(void *);
    void (*object_unref)(void *);
    void (*error_free)(DeckGError *);
    void *(*hash_table_new)(void *hash, void *equal);
    int (*hash_table_insert)(void *table, void *key, void *value);
    void (*hash_table_unref)(void *table);
    void (*list_free_full)(DeckGList *, void (*free)(void *));
    int (*main_context_iteration)(void *context, int block);
    uint32_t (*io_error_quark)(void);
    uint32_t (*dbus_error_quark)(void);
    uint32_t (*secret_error_quark)(void);
    void *(*service_get)(int flags, void *cancellable, DeckGError **);
    void (*service_disconnect)(void);
    DeckGList *(*service_search)(void *service, const DeckSecretSchema *, void *attributes, int flags, void *cancellable, DeckGError **);
    int (*service_clear)(void *service, const DeckSecretSchema *, void *attributes, void *cancellable, DeckGError **);
    void *(*collection_for_alias)(void *service, const char *alias, int flags, void *cancellable, DeckGError **);
    int (*collection_locked)(void *collection);
    void *(*item_create)(void *collection, const DeckSecretSchema *, void *attributes, const char *label, void *value, int flags,
                         void *cancellable, DeckGError **);
    int (*item_locked)(void *item);
    void *(*item_secret)(void *item);
    void *(*value_new)(const char *bytes, ptrdiff_t length, const char *type);
    const char *(*value_get)(void *value, size_t *length);
    void (*value_unref)(void *value);
    void *str_hash, *str_equal;
} DeckSecretFunctions;

// Each member and the symbol it is filled from.
#define DECK_SECRET_FUNCTIONS(F)                    \
    F(cancellable_new, g_cancellable_new)           \
    F(cancellable_cancel, g_cancellable_cancel)     \
    F(object_unref, g_object_unref)                 \
    F(error_free, g_error_free)                     \
    F(hash_table_new, g_hash_table_new)             \
    F(hash_table_insert, g_hash_table_insert)       \
    F(hash_table_unref, g_hash_table_unref)         \
    F(list_free_full, g_list_free_full)             \
    F(main_context_iteration, g_main_context_iteration) \
    F(io_error_quark, g_io_error_quark)             \
    F(dbus_error_quark, g_dbus_error_quark)         \
    F(secret_error_quark, secret_error_get_quark)   \
    F(service_get, secret_service_get_sync)         \
    F(service_disconnect, secret_service_disconnect) \
    F(service_search, secret_service_search_sync)   \
    F(service_clear, secret_service_clear_sync)     \
    F(collection_for_alias, secret_collection_for_alias_sync) \
    F(collection_locked, secret_collection_get_locked) \
    F(item_create, secret_item_create_sync)         \
    F(item_locked, secret_item_get_locked)          \
    F(item_secret, secret_item_get_secret)          \
    F(value_new, secret_value_new)                  \
    F(value_get, secret_value_get)                  \
    F(value_unref, secret_value_unref)              \
    F(str_hash, g_str_hash)                         \
    F(str_equal, g_str_equal)

/// Fills the table from a library such as "libsecret-1.so.0"; 0 when the library or one of the functions is missing. The library is
/// never unloaded, which GLib does not support.
static inline int deck_secret_load(DeckSecretFunctions *table, const char *library) {
    void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!handle) return 0;
#define DECK_SECRET_FIND(member, symbol) \
    if (!(*(void **)&table->member = dlsym(handle, #symbol))) return 0;
    DECK_SECRET_FUNCTIONS(DECK_SECRET_FIND)
#undef DECK_SECRET_FIND
    return 1;
}
#endif
