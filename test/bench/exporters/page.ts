/** A page of the simulated API, as its documentation would have it. */
export interface CustomersPage {
  readonly customers: readonly unknown[];
  readonly meta: { readonly next_page: number | null; readonly total_pages: number };
}
