/** What tests and the demo may take from the runtime; nobody else imports it. */
