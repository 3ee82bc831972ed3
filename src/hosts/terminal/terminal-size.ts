/** How large a terminal is. One that was never told its size, as over a serial line, says that it has none at all. */

export const columnsIn = ({ columns }: { readonly columns: number }): number => columns || 80

export const rowsIn = ({ rows }: { readonly rows: number }): number => rows || 24
