/**
 * The command that the operator types on the machine of the service. The package of the service, which installs it as a
 * command of the machine, says so in its `index.html`.
 */
export const operatorCommand = document.documentElement.dataset.command ?? 'npx svc-server'
