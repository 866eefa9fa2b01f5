/**
 * What the operator types on the machine of the service. Where the service is installed from its package, the command is
 * one of the machine's, and the package says so in `index.html`.
 */
export const operatorCommand = document.documentElement.dataset.command ?? 'npx svc-server'
