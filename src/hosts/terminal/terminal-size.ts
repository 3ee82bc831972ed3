/** The size of a terminal. A terminal that does not know its size, as over a serial line, reports 0. */

export const columnsIn = ({ columns }: { readonly columns: number }): number => columns || 80

export const rowsIn = ({ rows }: { readonly rows: number }): number => rows || 24
