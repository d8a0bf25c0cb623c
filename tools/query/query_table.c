#include "tools/query/query_table.h"

#include "tools/common/columns.h"
#include "tools/common/tool_output.h"
#include "tools/query/query_number.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { TABLE_ROWS = 1000, TABLE_NARROW = 4, TABLE_BETWEEN = 3 /* " | " */ };

typedef struct table_cell {
    size_t begin, size; /* in the table's text */
    bool is_number;
} table_cell;

typedef struct query_table {
    sqlite3_stmt *statement;
    size_t columns;
    unsigned *widths;  /* of columns; 0: not yet measured */
    table_cell *cells; /* of TABLE_ROWS rows */
    size_t rows;       /* waiting in cells */
    crawl_buf text;    /* of the waiting rows */
    crawl_buf line;
    bool is_utf8, is_measured;
    uint64_t printed;
} query_table;

static unsigned table_terminal_width(void)
{
    struct winsize size = {0};
    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) || !size.ws_col ? 80 : size.ws_col;
}

/* Returns the width of a cell, as shown with escapes. */
static unsigned table_cell_width(query_table *table, crawl_slice text)
{
    crawl_buf_clear(&table->line);
    return cw_tool_put_cut(&table->line, text, UINT16_MAX, table->is_utf8);
}

static crawl_slice table_text_of(const query_table *table, const table_cell *cell)
{
    return crawl_slice_of(table->text.data + cell->begin, cell->size);
}

static unsigned table_sum(const query_table *table, unsigned most)
{
    unsigned sum = (unsigned)(table->columns - 1) * TABLE_BETWEEN;
    for (size_t i = 0; i < table->columns; i++)
        sum += table->widths[i] < most ? table->widths[i] : most;
    return sum;
}

/* Makes columns as wide as their names and cells, then narrows the widest until all fit. */
static void table_measure(query_table *table)
{
    unsigned most = TABLE_NARROW, room = table_terminal_width();
    for (size_t i = 0; i < table->columns; i++) {
        table->widths[i] = table_cell_width(table, crawl_slice_from(sqlite3_column_name(table->statement, (int)i)));
        for (size_t row = 0; row < table->rows; row++) {
            unsigned width = table_cell_width(table, table_text_of(table, &table->cells[row * table->columns + i]));
            table->widths[i] = width > table->widths[i] ? width : table->widths[i];
        }
    }
    while (most < room && table_sum(table, most + 1) <= room)
        most++;
    for (size_t i = 0; i < table->columns; i++)
        table->widths[i] = table->widths[i] < most ? table->widths[i] : most;
    table->is_measured = true;
}

/* Puts a text into its column, numbers right-aligned, without blanks after the last column. */
static void table_put_cell(query_table *table, size_t column, crawl_slice text, bool is_number)
{
    unsigned width = table->widths[column];
    crawl_buf_clear(&table->line);
    unsigned used = cw_tool_put_cut(&table->line, text, width, table->is_utf8);
    int blanks = width > used ? (int)(width - used) : 0;
    bool is_last = column + 1 == table->columns;
    printf("%s%*s", column ? (table->is_utf8 ? " │ " : " | ") : "", is_number ? blanks : 0, "");
    fwrite(table->line.data ? table->line.data : "", 1, table->line.size, stdout);
    printf("%*s", is_number || is_last ? 0 : blanks, "");
}

static void table_put_head(query_table *table)
{
    for (size_t i = 0; i < table->columns; i++)
        table_put_cell(table, i, crawl_slice_from(sqlite3_column_name(table->statement, (int)i)), false);
    putchar('\n');
    for (size_t i = 0; i < table->columns; i++) {
        fputs(!i ? "" : table->is_utf8 ? "─┼─" : "-+-", stdout);
        for (unsigned k = 0; k < table->widths[i]; k++)
            fputs(table->is_utf8 ? "─" : "-", stdout);
    }
    putchar('\n');
}

/* Prints the waiting rows, the first time below their head. */
static void table_flush(query_table *table)
{
    if (!table->is_measured) {
        table_measure(table);
        table_put_head(table);
    }
    for (size_t row = 0; row < table->rows; row++) {
        for (size_t i = 0; i < table->columns; i++) {
            const table_cell *cell = &table->cells[row * table->columns + i];
            table_put_cell(table, i, table_text_of(table, cell), cell->is_number);
        }
        putchar('\n');
    }
    table->printed += table->rows;
    table->rows = 0;
    crawl_buf_clear(&table->text);
}

static crawl_err table_take_row(query_table *table)
{
    crawl_err err = CRAWL_OK;
    for (size_t i = 0; i < table->columns && !err; i++) {
        table_cell *cell = &table->cells[table->rows * table->columns + i];
        int type = sqlite3_column_type(table->statement, (int)i); /* before the conversion to text hides it */
        char number[CW_QUERY_NUMBER_MAX];
        const char *text = cw_query_text(table->statement, (int)i, number);
        *cell = (table_cell){.begin = table->text.size,
                             .size = text == number ? strlen(text)
                                     : text         ? (size_t)sqlite3_column_bytes(table->statement, (int)i)
                                                    : 0,
                             .is_number = type == SQLITE_INTEGER || type == SQLITE_FLOAT};
        err = text || type == SQLITE_NULL ? crawl_buf_append(&table->text, text ? text : "", cell->size) : CRAWL_ENOMEM;
    }
    if (!err && ++table->rows == TABLE_ROWS)
        table_flush(table);
    return err;
}

crawl_err cw_query_table(const cw_query_rows *rows, int *code)
{
    query_table table = {.statement = rows->statement, .columns = (size_t)sqlite3_column_count(rows->statement)};
    table.is_utf8 = cw_tool_is_utf8();
    table.widths = calloc(table.columns + 1, sizeof *table.widths);
    table.cells = calloc(table.columns * TABLE_ROWS + 1, sizeof *table.cells);
    crawl_err err = table.widths && table.cells ? CRAWL_OK : CRAWL_ENOMEM;
    cw_tool_columns_begin();
    *code = err ? SQLITE_DONE : rows->next(rows->user);
    for (; !err && *code == SQLITE_ROW && !cw_tool_output_failed(); *code = rows->next(rows->user))
        err = table_take_row(&table);
    if (!err && (*code == SQLITE_ROW || *code == SQLITE_DONE)) {
        table_flush(&table);
        printf("(%" PRIu64 " row%s)\n", table.printed, table.printed == 1 ? "" : "s");
    }
    cw_tool_columns_end();
    crawl_buf_free(&table.text);
    crawl_buf_free(&table.line);
    free(table.widths);
    free(table.cells);
    return err;
}
