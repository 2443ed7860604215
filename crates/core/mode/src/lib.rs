//! A game's settings: weapons, rules, arena, teams, loadout; parsed and validated
