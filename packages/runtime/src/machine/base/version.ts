/** The version of this runtime (2.6): that of the release, or `dev` if the runtime runs from source. */
declare const __SVC_VERSION__: string | undefined

export const ownVersion: string = typeof __SVC_VERSION__ === 'string' ? __SVC_VERSION__ : 'dev'
/** The oldest major version of Node on which svc runs. */
export const minNode = 20
