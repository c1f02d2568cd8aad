"""What every test, campaign, collection and report stands on: findings, laws, judgement."""
