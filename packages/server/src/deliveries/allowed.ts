/**
 * The setting SVC_OUTBOUND_ALLOW: networks in CIDR notation, or single addresses, to which alerts may be sent although
 * they are not public.
 */
export type Allowed = readonly string[]
