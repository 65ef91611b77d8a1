// Who took the timestamps of a run's replies.

export type ArrivalStamps = { readonly by: 'kernel' } | { readonly by: 'read'; readonly reason: string };
