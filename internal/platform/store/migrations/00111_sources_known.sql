-- Whoever comes from where somebody has signed in before may begin a sign-in when strangers may begin no more.
CREATE INDEX sign_in_source_known ON sign_in_source (source);
