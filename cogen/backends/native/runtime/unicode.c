/* Properties of characters: binary search in the tables of Python's Unicode version. */

#include "unicode.h"

static bool in_ranges(table t, uint32_t c, uint32_t *first) {
    const range *ranges = t.at;
    int low = 0, high = t.count;
    while (low < high) {
        int middle = (low + high) / 2;
        if (c > ranges[middle].last) low = middle + 1;
        else high = middle;
    }
    if (low == t.count || c < ranges[low].first) return false;
    *first = ranges[low].first;
    return true;
}

bool has_property(property p, uint32_t c) {
    uint32_t first;
    if (c >= 0x80) return in_ranges(property_tables[p], c, &first);
    bool small = c >= 'a' && c <= 'z', large = c >= 'A' && c <= 'Z';
    switch (p) {
    case ALPHABETIC: case CASED: return small || large;
    case DECIMAL: return c >= '0' && c <= '9';
    case SPACE: return (c >= 9 && c <= 13) || c == 32;
    case UPPER: return large;
    case LOWER: return small;
    case PRINTABLE: return c >= 32 && c < 127;
    default: return in_ranges(property_tables[p], c, &first);
    }
}

/* The characters that a character becomes, and how many they are. */
int change_case(change change, uint32_t c, uint32_t made[3]) {
    if (c < 0x80) {
        char first = change == TO_UPPER ? 'a' : 'A';
        bool is_other = c >= (uint32_t)first && c < (uint32_t)first + 26;
        return made[0] = is_other ? c ^ 0x20 : c, 1;
    }
    const changed *changes = change_tables[change].at;
    int low = 0, high = change_tables[change].count;
    while (low < high) {
        int middle = (low + high) / 2;
        if (c > changes[middle].c) low = middle + 1;
        else high = middle;
    }
    if (low == change_tables[change].count || changes[low].c != c) return made[0] = c, 1;
    int count = 0;
    while (count < 3 && changes[low].made[count]) made[count] = changes[low].made[count], count++;
    return count;
}

/* The value of a decimal digit, or -1. */
int decimal_value(uint32_t c) {
    uint32_t first;
    if (c < 0x80) return c >= '0' && c <= '9' ? (int)(c - '0') : -1;
    return in_ranges(digit_table, c, &first) ? (int)(c - first) : -1;
}
