/**
 * The command that the operator types on the machine of the service. A package that installs `svc-server` as a command
 * of the machine names that command in its `index.html`.
 */
export const operatorCommand = document.documentElement.dataset.command ?? 'npx svc-server'
